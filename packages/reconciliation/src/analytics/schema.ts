import { foldedCaseSchema } from '@financing-checkout/contract/reconciliation';
import { json, migrationStatements, moment, table, text, whole } from '@financing-checkout/kit/sql';

/** Version of the tables below. A file with another version is rebuilt from the facts. */
export const SCHEMA_VERSION = '15';

/**
 * Returns an SQL condition for fundings with a guessed currency: the default currency, without
 * evidence in the data and without a declaration by the merchant.
 */
export function isGuessed(fundings: string): string {
  return `(${fundings}.assumed
    and not exists (from meta where key = 'default-currency-stated' and value = 'true'))`;
}

/**
 * A sealed period's amounts by order: the steps of the cash walk, and `written_off`, expected
 * amounts that are no longer in transit.
 */
export const sealedAmounts = [
  ...['expected', 'funded', 'written_off', 'short', 'accepted', 'over', 'refunds', 'chargebacks'],
  ...['reversals', 'duplicates', 'other', 'discount', 'net'],
];

/** Mirror of the cases in the record store. */
export const cases = table('cases', {
  id: text(),
  /** Number of its last change. */
  number: whole(),
  orderKey: text(),
  currency: text(),
  code: text(),
  merchantOrderId: text().optional(),
  state: text(),
  amount: whole(),
  count: whole().as({ duckdb: 'integer' }),
  since: moment(),
  contentHash: text(),
  assignee: text().optional(),
  reason: text().optional(),
  openedAt: moment(),
  openSince: moment(),
  updatedAt: moment(),
  alertedAt: moment().optional(),
  snoozedUntil: moment().optional(),
  snoozedContent: text().optional(),
  mentions: json(foldedCaseSchema.shape.mentions).optional(),
  mergedInto: text().optional(),
  /** JSON of the case. */
  body: text(),
});

/**
 * Tables of the analytics database. All rows are derived from the facts and the companion's ledger,
 * so the file may be deleted at any time. Times are milliseconds since 1970, and amounts are minor
 * units of the row's currency. There are no primary keys or indexes, because DuckDB checks them row
 * by row and keeps indexes in memory; the writer ensures that rows are unique.
 */
export const tables = `
create table meta (key varchar not null, value varchar not null);

-- Each record of each proven day. A record with a problem is in quarantine and in no sum.
create table fundings (
  day varchar not null,
  id varchar not null,                    -- day ':' identity ['~' ordinal]
  identity varchar not null,
  hash uuid not null,                     -- see contentColumns
  order_key varchar not null,
  key_hash uinteger not null,             -- of order_key: see isOfOrders
  merchant_order_id varchar,
  currency varchar not null,
  assumed boolean not null,               -- the currency is the default one; no ledger line states it
  status varchar,
  transaction_type varchar,
  lender_name varchar,
  transaction_text varchar,               -- amounts as written by the service
  discount_text varchar,
  net_text varchar,
  transaction_amount bigint,
  discount_amount bigint,
  net_amount bigint,
  funded_at bigint,
  updated_at bigint,
  transaction_date bigint,
  transaction_id varchar,
  merchant_transaction_id varchar,
  charge_id varchar,
  lender_reference_id varchar,
  product_type varchar,
  promo_code varchar,
  record_problem varchar,                 -- why no currency can hold it
  problem varchar,                        -- why its currency cannot hold it
  since bigint not null                   -- number of the day's first fact with this id
);

-- Days with applied facts.
create table funding_days (
  day varchar not null,
  number bigint not null,                 -- of the fact applied last
  proven bigint not null,                 -- of the last fact that proved the day; 0: none
  state varchar not null,                 -- complete, stale, unproven, failed
  sync_id varchar not null,
  digest varchar not null,                -- of the content in fundings
  proven_at bigint                        -- milliseconds since 1970
);

-- Settles and refunds of the merchant's ledger.
create table ledger_lines (
  order_key varchar not null,
  key_hash uinteger not null,             -- of order_key: see isOfOrders
  currency varchar not null,
  id varchar not null,
  merchant_order_id varchar not null,
  type varchar not null,                  -- Settle, Refund
  amount bigint not null,
  occurred_at bigint not null,
  transaction_id varchar,
  merchant_transaction_id varchar,
  charge_id varchar,
  lender_reference_id varchar,
  source varchar not null,                -- first source: companion, import, api
  own boolean not null                    -- stated by the companion itself: no file can remove it
);

-- Orders that the companion authorized: they show the currency before the first settle.
create table authorizations (
  order_key varchar not null,
  currency varchar not null,
  merchant_transaction_id varchar not null,
  charge_id varchar,
  amount bigint,
  authorized_at bigint
);

-- Voids that the service accepted: what their charges authorized is no longer held.
create table voids (
  merchant_transaction_id varchar not null,
  charge_id varchar not null
);

-- Lines that an import withdrew.
create table withdrawn_lines (
  order_key varchar not null,
  id varchar not null,
  type varchar not null,
  amount bigint not null,
  currency varchar not null,
  withdrawn_at bigint not null,
  actor varchar
);

-- Orders with changed lines or fundings that wait for judging.
create table dirty_orders (order_key varchar not null);

create table order_statuses (
  order_key varchar not null,
  key_hash uinteger not null,             -- of order_key: see isOfOrders
  currency varchar not null,
  funding varchar not null,
  returns varchar not null,
  headline varchar not null,
  expected_settle bigint not null,
  expected_refund bigint not null,
  funded_settle bigint not null,
  funded_refund bigint not null,
  funded_chargeback bigint not null,
  funded_reversal bigint not null,
  discount bigint not null,
  net bigint not null,
  awaiting bigint not null,
  recheck_at bigint,
  judged bigint not null,                 -- number of the pass that wrote it
  computed_at bigint not null,
  changed_at bigint not null,             -- last change of the headline
  assumed boolean not null                -- the currency is a guess: see guessed_fundings
);
create table order_exceptions (
  order_key varchar not null,
  currency varchar not null,
  code varchar not null,
  amount bigint not null,
  count integer not null,
  since bigint not null,
  content_hash varchar not null,          -- of the order's lines: a change reopens an ignored case
  assumed boolean not null
);

-- Summands of walk, discount audit and radar, written when an order is judged. Orders that triage
-- finds paid in full have one row per settle and refund in paid_lines; all others have rows in the
-- three tables after it. Orders with a guessed currency have none.
create table paid_lines (
  order_key varchar not null,
  currency varchar not null,
  kind varchar not null,                  -- settle, refund
  lender varchar not null,                -- canonical name
  product_type varchar,
  promo_code varchar,
  settled_at bigint not null,             -- of the ledger line
  funded_at bigint not null,              -- of the funding that pays it
  amount bigint not null,
  discount bigint not null,
  net bigint not null,
  agreed_basis_points double,             -- from the contract; null: no contract
  agreed_per_settle bigint,
  agreed_from bigint,
  agreed bigint                           -- the share of the amount, without agreed_per_settle
);
create table cash_flows (
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
  moved_at bigint not null,
  step varchar not null,                  -- see flowSteps of the rules
  amount bigint not null
);
create table discounts (                  -- see PostedDiscounts of the rules
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
  posted_at bigint not null,
  product_type varchar,
  promo_code varchar,
  agreed_basis_points double,
  agreed_per_settle bigint,
  agreed_from bigint,
  settle_count integer not null,
  settle_amount bigint not null,
  settle_discount bigint not null,
  settle_variance bigint not null,
  refund_count integer not null,
  refund_amount bigint not null,
  refund_returned bigint not null,
  refund_variance bigint not null,
  refund_kept bigint not null
);
create table claims (                     -- see PostedClaims of the rules
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
  posted_at bigint not null,
  status varchar not null,
  count integer not null,
  amount bigint not null,
  wrong_count integer not null,
  wrong_amount bigint not null
);

-- Closed periods in force, one row for each seal, and their sealed amounts: see sealedAmounts.
create table seals (
  seq bigint not null,
  period varchar not null,
  head bigint not null,                   -- the last fact that the seal covers
  from_at bigint not null,
  until_at bigint not null
);
create table sealed_flows (
  seq bigint not null,                    -- of the seal
  period varchar not null,                -- to which the amounts belong; empty: before the first one
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
  ${sealedAmounts.map((name) => `${name} bigint not null`).join(', ')}
);

${migrationStatements({ cases }, 'duckdb').join(';')};

-- The currency of each order as stated by the merchant; empty if there are two.
create view order_currencies as
  select order_key, case when min(currency) = max(currency) then min(currency) else '' end as currency
  from (select order_key, currency from ledger_lines union all select order_key, currency from authorizations)
  group by order_key;

-- Fundings in the default currency, without evidence in the data or a declaration of the merchant.
create view guessed_fundings as
  select * from fundings where ${isGuessed('fundings')};
`;

/** Keys of the table `meta` in {@link tables}. */
export const metaKeys = {
  /** {@link SCHEMA_VERSION}, the version of `fold`, and the DuckDB release. */
  schema: 'schema',
  /** Id of the record store whose facts were applied. */
  store: 'store',
  /** Number of the last applied fact. */
  applied: 'applied',
  /** Currency of fundings whose order's currency is unknown; empty if there is none. */
  defaultCurrency: 'default-currency',
  /** `true` if the merchant declared that currency, so that it is not a guess. */
  defaultStated: 'default-currency-stated',
  /** Cursor in the companion's ledger: the last entry read. */
  ledger: 'ledger',
  /** That entry itself, to detect a ledger that was restored from a backup. */
  lastEntry: 'last-entry',
  /** `true` once that ledger has been read to its end. Until then, orders lack settled lines. */
  ledgerRead: 'ledger-read',
  /** `true` while fundings wait for the currencies of new ledger lines. */
  unpriced: 'unpriced',
  /** Hash of the policy and rules used to judge all orders, and of whether the data was complete. */
  judgedBy: 'judged-by',
  judgedComplete: 'judged-complete',
  /** Ledger starts when orders were judged: see readLedgerStarts. */
  judgedLedger: 'judged-ledger',
  /** Answers about fundings that predate the ledger, when orders were judged. */
  judgedAnswers: 'judged-answers',
  /** Number of the last pass that wrote a status, and the time of the last pass. */
  judged: 'judged',
  judgedAt: 'judged-at',
  /** Last time that all orders were judged. */
  judgedAllAt: 'judged-all-at',
} as const;
