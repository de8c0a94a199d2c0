/** Schema version, in `PRAGMA user_version`. A state with another version is rejected. */
export const SCHEMA_VERSION = 8;

/**
 * The tables. Amounts are integers in minor units of the row's currency; times are milliseconds
 * since 1970 on the sandbox clock.
 *
 * `fundings` duplicates all values of a record to avoid joins: a report pages through millions of
 * rows by one index. `hidden` marks the lender transactions without a match (status MISSING), which
 * the default report must skip without reading them (specification 4.1).
 */
export const schema = `
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
    expires_at INTEGER NOT NULL,
    after_confirmation TEXT,
    -- Not a reference: a session may name any link.
    link_id TEXT,
    -- Also of the orders that were confirmed on the account later.
    account_token TEXT
  ) STRICT;
  CREATE INDEX applications_by_link ON applications (link_id) WHERE link_id IS NOT NULL;
  CREATE INDEX applications_to_decide ON applications (decide_at) WHERE decide_at IS NOT NULL;

  CREATE INDEX applications_by_account ON applications (account_token)
    WHERE account_token IS NOT NULL;

  CREATE TABLE links (
    id TEXT PRIMARY KEY,
    environment TEXT NOT NULL,
    request TEXT NOT NULL,
    session TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    accessed_at INTEGER,
    ends_at INTEGER NOT NULL
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
    updated_at INTEGER NOT NULL,
    charged_back INTEGER NOT NULL DEFAULT 0,
    reversed INTEGER NOT NULL DEFAULT 0,
    -- A charge keeps its discount rate when the lender's terms change.
    discount_basis_points INTEGER NOT NULL DEFAULT 0,
    channel TEXT NOT NULL DEFAULT 'E_COMMERCE',
    store_id TEXT,
    settle_id TEXT,
    voided INTEGER NOT NULL DEFAULT 0
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
    fund_at INTEGER,
    ends_at INTEGER,
    ends_as TEXT,
    reconciliation_id TEXT
  ) STRICT;
  CREATE INDEX transactions_by_charge ON transactions (charge_id, seq);
  -- Not unique: the service checks it, because a behavior turns the check off.
  CREATE INDEX transactions_by_merchant_id
    ON transactions (environment, merchant_transaction_id) WHERE merchant_transaction_id IS NOT NULL;
  CREATE INDEX transactions_to_fund ON transactions (fund_at) WHERE fund_at IS NOT NULL;
  CREATE INDEX transactions_to_end ON transactions (ends_at) WHERE ends_at IS NOT NULL;

  CREATE TABLE transaction_outcomes (
    id INTEGER PRIMARY KEY,
    environment TEXT,
    type TEXT NOT NULL,
    remaining INTEGER NOT NULL,
    ends_after INTEGER NOT NULL,
    ends_as TEXT NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    charge_id TEXT PRIMARY KEY REFERENCES charges (id),
    id TEXT NOT NULL,
    items TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

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
    email TEXT,
    net INTEGER
  ) STRICT;
  CREATE INDEX fundings_by_date ON fundings (environment, funded_at, seq);
  CREATE INDEX fundings_by_date_matched ON fundings (environment, funded_at, seq) WHERE hidden = 0;

  CREATE TABLE funding_faults (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL,
    fault TEXT NOT NULL,
    merchant_order_id TEXT,
    charge_id TEXT,
    transaction_id TEXT,
    transaction_type TEXT,
    remaining INTEGER NOT NULL,
    applied INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE funding_changes (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    funding INTEGER NOT NULL REFERENCES fundings (seq),
    change TEXT NOT NULL
  ) STRICT;
  CREATE INDEX funding_changes_by_time ON funding_changes (at);
  CREATE INDEX funding_changes_by_funding ON funding_changes (funding);

  CREATE TABLE outcomes (
    id INTEGER PRIMARY KEY,
    environment TEXT,
    application_id TEXT,
    remaining INTEGER NOT NULL,
    decision TEXT NOT NULL,
    decides_after INTEGER NOT NULL,
    stage TEXT NOT NULL
  ) STRICT;

  CREATE TABLE notifications (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    environment TEXT NOT NULL,
    application_id TEXT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    due_at INTEGER,
    copies INTEGER NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    last_result TEXT,
    last_at INTEGER
  ) STRICT;
  CREATE INDEX notifications_due ON notifications (due_at, seq) WHERE due_at IS NOT NULL;
`;
