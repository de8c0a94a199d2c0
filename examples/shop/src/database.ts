import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const schema = `
  CREATE TABLE IF NOT EXISTS cart_lines (
    visitor   TEXT NOT NULL,
    slug      TEXT NOT NULL,
    quantity  INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 10),
    PRIMARY KEY (visitor, slug)
  ) STRICT;

  CREATE TABLE IF NOT EXISTS orders (
    sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    number      TEXT NOT NULL UNIQUE,
    visitor     TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    contents    TEXT NOT NULL,
    cancelled_at TEXT,
    transfer_chosen_at TEXT,
    asked_at    TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS orders_by_visitor ON orders (visitor, sequence);

  -- What was bought and for how much is written once. Not even a mistake in the code changes it.
  DROP TRIGGER IF EXISTS orders_are_frozen;
  CREATE TRIGGER orders_are_frozen
    BEFORE UPDATE OF id, number, created_at, contents ON orders
    BEGIN SELECT RAISE(ABORT, 'the contents of an order are frozen'); END;

  CREATE TABLE IF NOT EXISTS financings (
    checkout_id  TEXT PRIMARY KEY,
    order_number TEXT NOT NULL REFERENCES orders (number),
    revision     INTEGER NOT NULL,
    status       TEXT NOT NULL,
    retry_safe   INTEGER NOT NULL CHECK (retry_safe IN (0, 1)),
    charge_id    TEXT,
    updated_at   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS financings_by_order ON financings (order_number);

  -- Records of the companion that the shop did not accept, for its staff.
  CREATE TABLE IF NOT EXISTS refusals (
    order_number TEXT NOT NULL REFERENCES orders (number),
    checkout_id  TEXT NOT NULL,
    reason       TEXT NOT NULL,
    at           TEXT NOT NULL,
    PRIMARY KEY (order_number, checkout_id, reason)
  ) STRICT;
`;

/**
 * Opens the shop's database and creates its tables.
 * @param file path of the SQLite file, or `:memory:`
 */
export function openDatabase(file: string): DatabaseSync {
  // Only the owner may read the file, because it contains names and addresses.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file);
  // WAL with synchronous=FULL: a confirmed order survives a power failure.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA busy_timeout = 5000;
  `);
  database.exec(schema);
  return database;
}

/** Runs a function in one write transaction. */
export function transaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = run();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
