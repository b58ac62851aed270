"""check_recipes.py TREE PREFIX - the recipes for Spack and EasyBuild, against stand-ins of both: what they pass to CMake are options of this
tree, and their tests pass on what is installed below PREFIX. Neither program is needed."""
import glob
import os
import re
import subprocess
import sys
import types

tree, prefix = sys.argv[1:]
sources = "".join(open(name).read() for name in glob.glob(tree + "/cmake/*.cmake") + [tree + "/CMakeLists.txt"])
version = re.search(r"project\(patscan VERSION ([\d.]+)", sources)[1]


def is_option(name):
    return name == "BUILD_TESTING" or name.startswith("CMAKE_") or name.startswith("MPICC_") and "MPICC_${mpi}" in sources \
        or re.search(r"option\(%s |set\(%s .* CACHE" % (name, name), sources)


def check_options(words):
    for word in words:
        name = re.fullmatch(r"-D(\w+)=(.*)", word)[1]
        assert is_option(name), name + " is no option of this tree"


class Path(str):
    def __getattr__(self, name):
        return Path(os.path.join(self, name))


class Spec:
    def __init__(self, *variants):
        self.variants, self.version = variants, version

    def satisfies(self, what):
        return what == "@0:" or what in self.variants

    def __getitem__(self, name):
        assert "+" + name in self.variants, name + " is no dependency of this"
        return types.SimpleNamespace(prefix=Path("/opt/" + name))


class Executable:
    def __init__(self, path):
        assert os.access(path, os.X_OK), path
        self.path = path

    def __call__(self, *words, output=None, error=None, fail_on_error=True):
        done = subprocess.run([self.path, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.returncode = done.returncode
        assert not fail_on_error or done.returncode == 0, done.stdout
        return done.stdout


def check_outputs(wanted, out):
    for one in wanted:
        assert re.search(one, out), "%s is not in %s" % (one, out)


class CMakePackage:
    def __init__(self, spec):
        self.spec, self.prefix = spec, Path(prefix)

    @staticmethod
    def define(name, value):
        return "-D%s=%s" % (name, {True: "ON", False: "OFF"}.get(value, value))


directives = []


def spack():
    space = {"which": Executable, "join_path": os.path.join, "check_outputs": check_outputs, "CMakePackage": CMakePackage}
    for directive in "version variant depends_on conflicts license generator".split():
        space[directive] = lambda *words, **more: directives.append((words, more))
    text = open(tree + "/packaging/spack/package.py").read()
    exec(compile(re.sub(r"^from spack.*$", "", text, flags=re.M), "package.py", "exec"), space)
    package = space["Patscan"]
    assert package.homepage and package.git and package.__doc__
    assert (version, ) in [words for words, _ in directives], "the recipe has another version than %s" % version
    for variants in (), ("+view", ), ("+openmpi", ), ("+mpich", "+view"):
        words = package(Spec(*variants)).cmake_args()
        check_options(words)
        assert "-DPS_VIEW=" + ("ON" if "+view" in variants else "OFF") in words
    for word in "-DMPICC_openmpi=/opt/openmpi/bin/mpicc", "-DPATSCAN_MPICC=/opt/openmpi/bin/mpicc", "-DPS_MPI=ON":
        assert word in package(Spec("+openmpi")).cmake_args()
    assert "-DPS_MPI=OFF" in package(Spec()).cmake_args()
    tests = [name for name in dir(package) if name.startswith("test_")]
    assert len(tests) >= 3
    for name in tests:
        getattr(package(Spec()), name)()


def easybuild():
    names = glob.glob(tree + "/packaging/easybuild/*.eb")
    assert len(names) == 1
    space = {"SHLIB_EXT": "so"}
    exec(compile(open(names[0]).read(), names[0], "exec"), space)
    assert space["version"] == version
    chain = "-".join((space["toolchain"]["name"], space["toolchain"]["version"]))
    assert os.path.basename(names[0]) == "%s-%s-%s.eb" % (space["name"], version, chain)
    for key in "easyblock homepage description sources checksums dependencies moduleclass".split():
        assert space[key], key
    assert len(space["sources"]) == len(space["checksums"])
    check_options(space["configopts"].split())
    for name in space["sanity_check_paths"]["files"] + space["sanity_check_paths"]["dirs"]:
        at = name.replace("lib/", os.path.relpath(glob.glob(prefix + "/lib*/**/libpatscan.so", recursive=True)[0], prefix)[:-len("libpatscan.so")], 1) \
            if name.startswith("lib/") else name
        # Which MPIs were there when this was built is another question.
        assert "record-openmpi" in name or "patscan-mpi" in name or os.path.exists(os.path.join(prefix, at)), name + " is not installed"
    for command in space["sanity_check_commands"]:
        command = command.replace("%(installdir)s", prefix)
        done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(os.environ, PATH=prefix + "/bin:" + os.environ["PATH"]))
        assert done.returncode == 0, command + ": " + done.stdout


spack()
easybuild()
