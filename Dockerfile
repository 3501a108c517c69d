# Builds the program, and a small image that runs it.
# The release pins the base image by its digest: --build-arg BASE=node:24-slim@sha256:…
ARG BASE=node:24-slim
FROM $BASE AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev
COPY rolldown.config.ts tsconfig.json ./
COPY src ./src
COPY release ./release
COPY docs ./docs
COPY LICENSE ./
RUN npm run build

FROM $BASE
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="elbro" \
      org.opencontainers.image.description="Electricity prices, consumption and cheap-hour plans for the house" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# The user is a number, so that Kubernetes can check that it is not root (runAsNonRoot).
RUN mkdir /data && chown 1000:1000 /data \
 && printf '#!/bin/sh\nexec node /app/elbro.cjs "$@"\n' > /usr/local/bin/elbro && chmod +x /usr/local/bin/elbro
COPY --from=build /src/dist /app
USER 1000:1000
WORKDIR /data
# Memory limits for up to 10 homes; docs/fleet.md has the NODE_OPTIONS for more.
# Without a configuration, the demo is reachable from outside the container with the key and password that it prints.
# A person reads the log of a container; log.format: json is for programs that collect it.
ENV ELBRO_DATA_DIR=/data \
    ELBRO_DEMO_HOST=0.0.0.0 \
    ELBRO_LOG_DEFAULT=text \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=16384 \
    NODE_COMPILE_CACHE=/data/.cache \
    NODE_OPTIONS="--max-semi-space-size=1 --max-old-space-size=64"
VOLUME /data
EXPOSE 8080 1883
HEALTHCHECK --interval=60s --timeout=5s --start-period=20s CMD ["elbro", "health"]
# Node receives SIGTERM itself. With `docker run --init`, its watchdog can end it: process 1 ignores SIGKILL of its own container.
CMD ["node", "/app/elbro.cjs"]
