/* cxx.cpp - calls from what C++ adds: see program.c. */
#include <algorithm>
#include <functional>
#include <mpi.h>
#include <stdexcept>
#include <vector>

#define NOINLINE __attribute__((noinline))

extern "C" void cxx_calls(MPI_Comm comm);

namespace
{
template <typename T> struct type_of;
template <> struct type_of<int> {
        static MPI_Datatype get()
        {
                return MPI_INT;
        }
};
template <> struct type_of<double> {
        static MPI_Datatype get()
        {
                return MPI_DOUBLE;
        }
};

template <typename T> NOINLINE T sum(T value, MPI_Comm comm)
{
        T out;
        MPI_Allreduce(&value, &out, 1, type_of<T>::get(), MPI_SUM, comm); /* @ MPI_Allreduce */
        return out + 1;
}

template <typename T> void share(std::vector<T> &values, MPI_Comm comm)
{
        MPI_Bcast(values.data(), (int)values.size(), type_of<T>::get(), 0, comm); /* @ MPI_Bcast */
}

struct guard {
        MPI_Comm comm;
        explicit guard(MPI_Comm c) : comm(c)
        {
                MPI_Barrier(comm); /* @ MPI_Barrier */
        }
        ~guard()
        {
                MPI_Barrier(comm); /* @ MPI_Barrier */
        }
};

struct shape {
        virtual ~shape() = default;
        virtual int area(MPI_Comm comm) = 0;
};
struct square : shape {
        int area(MPI_Comm comm) override
        {
                int v = 1, w = 0;
                MPI_Scan(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Scan */
                return w + 1;
        }
};
struct circle : shape {
        int area(MPI_Comm comm) override
        {
                return MPI_Barrier(comm); /* @ MPI_Barrier */
        }
};

NOINLINE int throws(MPI_Comm comm)
{
        guard inside(comm);
        if (MPI_Barrier(comm) == MPI_SUCCESS) /* @ MPI_Barrier */
                throw std::runtime_error("as planned");
        return 1;
}

NOINLINE void apply(const std::function<void(int)> &call)
{
        call(1);
}

class grid
{
        MPI_Comm comm;

      public:
        explicit grid(MPI_Comm c) : comm(c)
        {
        }
        NOINLINE void exchange()
        {
                int v = 1, w = 1;
                MPI_Exscan(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Exscan main>cxx_calls>exchange */
                if (w)
                        MPI_Barrier(comm); /* @ MPI_Barrier */
        }
        grid &operator+=(int n)
        {
                MPI_Bcast(&n, 1, MPI_INT, 0, comm); /* @ MPI_Bcast */
                return *this;
        }
};
} // namespace

void cxx_calls(MPI_Comm comm)
{
        std::vector<int> whole(3, 1);
        std::vector<double> real(2, 1.0);
        square s;
        circle c;
        shape *shapes[] = {&s, &c};
        grid g(comm);
        sum(1, comm);
        sum(1.0, comm);
        share(whole, comm);
        share(real, comm);
        {
                guard around(comm);
                MPI_Barrier(comm); /* @ MPI_Barrier main>cxx_calls */
        }
        for (shape *one : shapes)
                one->area(comm);
        std::for_each(whole.begin(), whole.end(), [&](int n) {
                MPI_Bcast(&n, 1, MPI_INT, 0, comm); /* @ MPI_Bcast */
        });
        apply([comm](int n) {
                MPI_Reduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, 0, comm); /* @ MPI_Reduce */
        });
        try {
                throws(comm);
        } catch (const std::exception &) {
                MPI_Barrier(comm); /* @ MPI_Barrier main>cxx_calls */
        }
        g.exchange();
        g += 2;
}
