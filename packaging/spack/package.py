# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Patscan(CMakePackage):
    """patscan reads the event trace of a parallel program (OTF2, PICL, DVM,
    GASP) after the run and says where time was lost: who waited for whom, at
    which source line, what it cost, and what to do about it. It records MPI,
    OpenMP and OpenSHMEM programs without compiling them anew, predicts, and
    compares runs."""

    # OWNER stands for the account that publishes the repository.
    homepage = "https://github.com/OWNER/patscan"
    git = "https://github.com/OWNER/patscan.git"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("view", default=True, description="Serve pages to a browser: patscan view")
    variant("openmpi", default=False, description="Record programs of Open MPI")
    variant("mpich", default=False, description="Record programs of MPICH")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("elfutils")
    depends_on("otf2@3:")
    depends_on("zlib-api")
    depends_on("libmicrohttpd", when="+view")
    depends_on("openmpi", when="+openmpi")
    depends_on("mpich", when="+mpich")
    # One concretised tree has one MPI.
    conflicts("+mpich", when="+openmpi")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("CMAKE_COMPILE_WARNING_AS_ERROR", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", True),
            self.define("PS_VIEW", self.spec.satisfies("+view")),
        ]
        compilers = {mpi: self.spec[mpi].prefix.bin.mpicc for mpi in ("openmpi", "mpich") if self.spec.satisfies(f"+{mpi}")}
        for mpi in ("openmpi", "mpich"):
            args.append(self.define(f"MPICC_{mpi}", compilers.get(mpi, False)))
        args.append(self.define("PS_MPI", bool(compilers)))
        for compiler in list(compilers.values())[:1]:
            args.append(self.define("PATSCAN_MPICC", compiler))
        return args

    def test_demo(self):
        """the bundled trace is analysed: rank 2 computes longer than the others"""
        patscan = which(self.prefix.bin.patscan)
        out = patscan(join_path(self.prefix.share.doc.patscan, "traces", "demo"), output=str.split, error=str.split)
        check_outputs(["Rank 2 computes 40 % longer", "Late nonblocking send"], out)

    def test_version(self):
        """the program is the one that was installed"""
        patscan = which(self.prefix.bin.patscan)
        out = patscan("--version", output=str.split, error=str.split)
        if self.spec.satisfies("@0:"):
            check_outputs([f"patscan {self.spec.version}"], out)

    def test_limit(self):
        """a limit that is exceeded is exit code 1"""
        patscan = which(self.prefix.bin.patscan)
        out = patscan(
            join_path(self.prefix.share.doc.patscan, "traces", "demo"), "--quiet", "--fail-on", "total>1%",
            output=str.split, error=str.split, fail_on_error=False,
        )
        assert patscan.returncode == 1, out
