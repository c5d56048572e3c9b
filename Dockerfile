# docker build -t ivrctl .
# docker run --rm --init --user "$(id -u):$(id -g)" -v "$PWD:/project" ivrctl validate

FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm pack && npm install --global --prefix /opt/ivrctl ./ivrctl-*.tgz

FROM node:22-slim
# `ivrctl diff` runs git, which refuses a mounted folder of another user without this setting.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory /project
COPY --from=build /opt/ivrctl /usr/local
USER node
WORKDIR /project
ENTRYPOINT ["ivrctl"]
