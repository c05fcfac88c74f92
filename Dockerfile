# Viva as a container: uid 1000, port 7860, no key inside. docs/deploy.md says how to run it safely.
FROM python:3.12-slim

COPY packages.txt /tmp/packages.txt
RUN apt-get update \
    && xargs -a /tmp/packages.txt apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /tmp/packages.txt \
    && useradd --uid 1000 --create-home viva \
    && mkdir -p /data && chown viva /data

WORKDIR /viva
COPY requirements.txt constraints.txt ./
COPY scripts/setup.sh scripts/setup.sh
RUN PIP_NO_CACHE_DIR=1 scripts/setup.sh
COPY . .

USER viva
ENV VIVA_HOST=0.0.0.0 VIVA_PORT=7860 VIVA_DATA=/data PYTHONDONTWRITEBYTECODE=1
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD [".venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/healthz', timeout=4)"]
CMD [".venv/bin/python", "app.py"]
