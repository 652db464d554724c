#!/bin/sh
# Makes Temporal's databases on PostgreSQL and brings them up to the schema of
# the server that this image belongs to. The connection comes from SQL_*
# variables. Run again, it changes only what is behind.
set -eu

make_database() {
  database=$1
  schema=$2
  temporal-sql-tool --database "$database" create-database
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "$schema"
}

make_database temporal postgresql/v12/temporal
make_database temporal_visibility postgresql/v12/visibility
