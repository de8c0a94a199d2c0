/**
 * The migrations, in order; `PRAGMA user_version` counts those applied. Amounts are integer minor
 * units of the row's currency, times are milliseconds since 1970 of the sandbox clock.
 *
 * `fundings` repeats what a record shows and joins nothing: a report pages through millions of
 * rows by an index alone. `hidden` marks the lender transactions without a match (status MISSING),
 * which the default report must skip without reading them (specification 4.1).
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE applications (
    id TEXT PRIMARY KEY,
    environment TEXT NOT NULL,
    session_token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    merchant_order_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    total INTEGER NOT NULL,
    session TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    email TEXT,
    offers TEXT,
    offer_code TEXT,
    decide_at INTEGER,
    decision TEXT,
    confirmation_token TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE charges (
    id TEXT PRIMARY KEY,
    environment TEXT NOT NULL,
    application_id TEXT NOT NULL UNIQUE REFERENCES applications (id),
    merchant_order_id TEXT NOT NULL,
    state TEXT NOT NULL,
    currency TEXT NOT NULL,
    total INTEGER NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    refunded INTEGER NOT NULL DEFAULT 0,
    lender_id TEXT NOT NULL,
    product_type TEXT NOT NULL,
    promo_code TEXT,
    tags TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX charges_by_order ON charges (environment, merchant_order_id, created_at);

  CREATE TABLE transactions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    environment TEXT NOT NULL,
    charge_id TEXT NOT NULL REFERENCES charges (id),
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    amount INTEGER NOT NULL,
    discount INTEGER NOT NULL,
    merchant_transaction_id TEXT,
    created_at INTEGER NOT NULL,
    fund_at INTEGER
  ) STRICT;
  CREATE INDEX transactions_by_charge ON transactions (charge_id, seq);
  CREATE UNIQUE INDEX transactions_by_merchant_id
    ON transactions (environment, merchant_transaction_id) WHERE merchant_transaction_id IS NOT NULL;
  CREATE INDEX transactions_to_fund ON transactions (fund_at) WHERE fund_at IS NOT NULL;

  CREATE TABLE fundings (
    seq INTEGER PRIMARY KEY,
    environment TEXT NOT NULL,
    verdict TEXT NOT NULL,
    hidden INTEGER NOT NULL,
    funded_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    lender_name TEXT NOT NULL,
    lender_reference_id TEXT NOT NULL,
    transaction_type TEXT NOT NULL,
    amount INTEGER NOT NULL,
    discount INTEGER NOT NULL,
    currency TEXT NOT NULL,
    transaction_id TEXT,
    transaction_date INTEGER,
    merchant_transaction_id TEXT,
    merchant_order_id TEXT,
    charge_id TEXT,
    product_type TEXT,
    promo_code TEXT,
    first_name TEXT,
    last_name TEXT,
    email TEXT
  ) STRICT;
  CREATE INDEX fundings_by_date ON fundings (environment, funded_at, seq);
  CREATE INDEX fundings_by_date_matched ON fundings (environment, funded_at, seq) WHERE hidden = 0;
  `,
];
