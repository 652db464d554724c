#!/bin/sh
# Makes the namespace and Holdpoint's search attributes, which the worker looks
# for when it starts, and ends when they can be used. TEMPORAL_ADDRESS and
# TEMPORAL_NAMESPACE say where; RETENTION is for a new namespace. Run again, it
# adds only what is missing.
set -eu
: "${TEMPORAL_ADDRESS:?}" "${TEMPORAL_NAMESPACE:?}" "${RETENTION:?}"

attributes='
HoldpointStatus=Keyword
HoldpointTenant=Keyword
HoldpointPlanHash=Keyword
HoldpointRisk=Keyword
HoldpointDecideBy=Datetime
'

# again COMMAND… repeats a command until it succeeds, for two minutes at most:
# a server that has just started, or a namespace that was just made, is not
# known everywhere at once.
again() {
  tries=120
  until output=$("$@" 2>&1); do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "$output" >&2
      return 1
    fi
    sleep 1
  done
}

namespace() {
  temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" ||
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
}

add_attributes() {
  listed=$(temporal operator search-attribute list) || return 1
  set --
  for attribute in $attributes; do
    if ! echo "$listed" | grep -qw "${attribute%=*}"; then
      set -- "$@" --name "${attribute%=*}" --type "${attribute#*=}"
    fi
  done
  [ $# -eq 0 ] || temporal operator search-attribute create "$@"
}

usable() {
  query=
  for attribute in $attributes; do
    query="${query:+$query AND }${attribute%=*} IS NULL"
  done
  temporal workflow list --limit 1 --query "$query"
}

again temporal operator cluster health
again namespace
again add_attributes
again usable
echo "namespace $TEMPORAL_NAMESPACE is ready"
