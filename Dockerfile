# The steps of docs/running.md as images; deploy/ambit is the same script. What only building needs
# stays behind: an image has the programs that run, their packages and the source.
FROM debian:12-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make python3 python3-venv ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY . /srv/ambit
RUN /srv/ambit/deploy/ambit install

FROM build AS build-models
RUN /srv/ambit/deploy/ambit install-models

FROM debian:12-slim AS program
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 postgresql-client ca-certificates \
    && rm -rf /var/lib/apt/lists/*
# A fixed number, since the files in the volume outlive the image.
RUN useradd --system --uid 900 --create-home --home-dir /var/lib/ambit ambit
COPY --from=build /srv/ambit /srv/ambit
ENV AMBIT_DATA=/var/lib/ambit
VOLUME /var/lib/ambit
USER ambit
ENTRYPOINT ["/srv/ambit/deploy/ambit"]
CMD ["web"]

FROM program AS models
COPY --from=build-models /srv/ambit/.venv /srv/ambit/.venv
CMD ["models"]

FROM program
