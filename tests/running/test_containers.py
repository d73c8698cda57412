"""Containers and units run what the guide runs: the same script, with every one of its commands."""

import os
import re
import subprocess

import pytest
import yaml

from tests.running.machine import REPOSITORY, blocks
from tests.test_docs import variables_read

SCRIPT = (REPOSITORY / "deploy" / "ambit").read_text()
COMPOSE = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text()
GUIDE = (REPOSITORY / "docs" / "running.md").read_text()
UNITS = sorted((REPOSITORY / "deploy" / "systemd").glob("*.service"))
OURS = {
    name: service
    for name, service in COMPOSE["services"].items()
    if service["image"].startswith("ambit")
}
PROCESSES = {"web", "worker", "models", "clock"}


def commands():
    """Return the commands of the script, each with its lines."""
    return dict(
        re.findall(r"^  ([a-z-]+)\)[^\n]*\n(.*?)^    ;;$", SCRIPT, re.MULTILINE | re.DOTALL)
    )


def test_the_script_says_which_commands_it_has():
    (usage,) = re.findall(r'echo "deploy/ambit (.*)" >&2', SCRIPT)
    listed = [part.split()[0] for part in usage.split(" | ")]
    assert listed == list(commands())
    assert set(listed) > PROCESSES


def test_what_runs_for_ever_takes_the_place_of_the_script():
    """So that a signal to stop reaches it."""
    assert {name for name, lines in commands().items() if "exec " in lines} == {
        *PROCESSES,
        "manage",
    }


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_the_command_it_is_named_after(path):
    command = path.stem.removeprefix("ambit-")
    assert f"\nExecStart=/srv/ambit/deploy/ambit {command}\n" in path.read_text()
    assert f"| `{path.stem}` |" in GUIDE


def test_units_and_containers_are_the_same_processes():
    assert {path.stem.removeprefix("ambit-") for path in UNITS} == PROCESSES
    assert {name: service["command"] for name, service in OURS.items()} == {
        name: [name] for name in (*PROCESSES, "prepare")
    }
    assert re.findall(r"^ENTRYPOINT (.*)$", DOCKERFILE, re.MULTILINE) == [
        '["/srv/ambit/deploy/ambit"]'
    ]
    assert not any("entrypoint" in service for service in OURS.values())


def test_the_image_is_made_by_the_steps_of_the_guide():
    steps = re.findall(r"^RUN /srv/ambit/deploy/ambit (.*)$", DOCKERFILE, re.MULTILINE)
    assert steps == ["install", "install-models"]
    assert "\n/srv/ambit/deploy/ambit install\n" in "\n".join(blocks())

    (guide,) = re.findall(r"^apt-get install (.*)$", "\n".join(blocks()), re.MULTILINE)
    packages = r"apt-get install --yes --no-install-recommends (.*) \\$"
    build, image = (set(each.split()) for each in re.findall(packages, DOCKERFILE, re.MULTILINE))
    # Source, database, broker and proxy are containers or the place the image is built in;
    # backups need the database's client.
    elsewhere = {"git", "postgresql", "redis-server", "nginx", "openssl", "curl"}
    options = {"--yes", "--no-install-recommends"}
    assert build | image == set(guide.split()) - options - elsewhere | {"postgresql-client"}
    assert build - image == {"make", "python3-venv"}


def test_images_have_what_was_built_and_nothing_that_builds():
    stages = dict(
        re.findall(r"^FROM \S+ AS (\S+)\n(.*?)(?=^FROM |\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL)
    )
    assert list(stages) == ["build", "build-models", "program", "models"]
    assert "COPY --from=build /srv/ambit /srv/ambit" in stages["program"]
    assert "COPY --from=build-models /srv/ambit/.venv /srv/ambit/.venv" in stages["models"]
    for name in ("program", "models"):
        assert "/srv/ambit/deploy/ambit install" not in stages[name]
    targets = {service["build"]["target"] for service in OURS.values()}
    assert targets == {"program", "models"}


def test_the_script_compiles_every_app():
    (apps,) = re.findall(r"^APPS := (.*)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert re.findall(r"compileall -q (.*)", SCRIPT) == [apps]


def settings_of_the_guide():
    (text,) = re.findall(r"^cat > /etc/ambit/ambit.env <<END\n(.*?)^END$", GUIDE, re.M | re.S)
    return dict(re.findall(r'^([A-Z_]+)="(.*)"$', text, re.MULTILINE))


def test_both_set_the_same_settings():
    guide = {name.removesuffix("_FILE") for name in settings_of_the_guide()}
    image = set(re.findall(r"^ENV ([A-Z_]+)=", DOCKERFILE, re.MULTILINE))
    assert guide <= variables_read()
    optional = {"EMAIL_URL", "CONTACT_HOURS", "PRIVACY_EMAIL", "PUBLICATIONS_URL"}
    for service in OURS.values():
        assert set(service["environment"]) | image == guide | optional | {"WEB_HOST"}
        assert service["environment"]["BEHIND_PROXY"] == "True"


def test_every_value_that_compose_asks_for_is_in_the_example():
    text = (REPOSITORY / "compose.yaml").read_text()
    asked = set(re.findall(r"\$\{([A-Z_]+)(?::\?[^}]*)?\}", text))
    example = (REPOSITORY / "deploy" / "compose.env").read_text()
    assert set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE)) == asked
    ignored = (REPOSITORY / ".gitignore").read_text().splitlines()
    assert {"/.env", "/deploy/certificates/"} <= set(ignored)
    assert {".env", "deploy/certificates"} <= set(
        (REPOSITORY / ".dockerignore").read_text().splitlines()
    )


@pytest.mark.parametrize(
    ("service", "row"), [("postgres", "PostgreSQL"), ("redis", "Redis"), ("proxy", "nginx")]
)
def test_the_other_images_are_of_supported_versions(service, row):
    version = COMPOSE["services"][service]["image"].split(":")[1]
    (supported,) = re.findall(rf"^\| {row} \| ([\d.]+) or newer \|", GUIDE, re.MULTILINE)
    assert [int(part) for part in version.split(".")] >= [
        int(part) for part in supported.split(".")
    ]


def test_the_proxy_uses_the_site_of_the_guide_and_reaches_the_web_server(tmp_path):
    """The line that fits the site is run here, with its two files in a folder."""
    proxy = COMPOSE["services"]["proxy"]
    assert "./deploy/nginx.conf:/ambit.conf:ro" in proxy["volumes"]
    assert proxy["depends_on"] == {"web": {"condition": "service_healthy", "restart": True}}
    assert "deploy/nginx.conf" in "\n".join(blocks())
    shell, option, line = proxy["command"]
    fitting, starting = line.replace("$$", "$").split(" && ")
    fitting = fitting.replace("/ambit.conf", str(REPOSITORY / "deploy" / "nginx.conf"))
    fitting = fitting.replace("/etc/nginx/conf.d", str(tmp_path))
    environment = {"PATH": os.environ["PATH"], "HOST": "our.example"}
    subprocess.run([shell, option, fitting], env=environment, check=True)
    site = (tmp_path / "default.conf").read_text()

    assert "server web:8000;" in site
    assert site.count("server_name our.example;") == 2
    assert "127.0.0.1" not in site
    assert starting == 'exec nginx -g "daemon off;"'
    assert OURS["web"]["environment"]["WEB_HOST"] == "0.0.0.0"  # noqa: S104
    assert '"${WEB_HOST:-127.0.0.1}" --port "${WEB_PORT:-8000}"' in SCRIPT


def test_only_the_proxy_can_be_reached_from_outside():
    published = {name for name, service in COMPOSE["services"].items() if "ports" in service}
    assert published == {"proxy"}
    for service in OURS.values():
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["ambit"]


def test_nothing_starts_before_what_it_needs():
    """While PostgreSQL's image makes its database, the server answers on its socket only."""
    services = COMPOSE["services"]
    assert "--host" in services["postgres"]["healthcheck"]["test"]
    assert {need["condition"] for need in services["prepare"]["depends_on"].values()} == {
        "service_healthy"
    }
    for name in PROCESSES:
        assert OURS[name]["depends_on"] == {
            "prepare": {"condition": "service_completed_successfully"}
        }
    for service in services.values():
        for name, need in service.get("depends_on", {}).items():
            assert need["condition"] != "service_healthy" or "healthcheck" in services[name]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_container_has_as_long_to_stop_as_its_unit(path):
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", path.read_text(), re.MULTILINE)
    service = OURS[path.stem.removeprefix("ambit-")]
    assert service["stop_grace_period"] == f"{seconds}s"


def test_the_largest_import_fits_through_the_proxy():
    site = (REPOSITORY / "deploy" / "nginx.conf").read_text()
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", site)
    settings = (REPOSITORY / "config" / "settings.py").read_text()
    (largest,) = re.findall(r'env_int\("IMPORT_MAX_MEGABYTES", (\d+)', settings)
    assert int(megabytes) > int(largest)


def test_the_proxy_sends_what_behind_proxy_believes():
    site = (REPOSITORY / "deploy" / "nginx.conf").read_text()
    sent = dict(re.findall(r"proxy_set_header (\S+) (\S+);", site))
    assert sent["X-Forwarded-Proto"] == "$scheme"
    assert sent["X-Forwarded-For"] == "$proxy_add_x_forwarded_for"
    assert sent["Host"] == "$host"
    assert "underscores_in_headers" not in site


def deploy(*arguments, **environment):
    return subprocess.run(
        [REPOSITORY / "deploy" / "ambit", *arguments],
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
    )


def test_an_unknown_command_is_answered_with_those_there_are():
    done = deploy("wbe")
    assert (done.returncode, done.stdout) == (2, "")
    assert "install | install-models | prepare" in done.stderr


def test_settings_that_cannot_be_read_are_never_left_out(tmp_path):
    """Without them a command would start another installation, with an embedded database."""
    done = deploy("manage", "help", AMBIT_SETTINGS=str(tmp_path / "ambit.env"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "ambit.env cannot be read by" in done.stderr
