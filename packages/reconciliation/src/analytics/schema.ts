/** Version of the tables below. A file of another version is made anew from the facts. */
export const SCHEMA_VERSION = '4';

/**
 * Whether the currency of a funding is a guess, as SQL: the default one, which nothing that was read says,
 * and the merchant does not state.
 */
export function isGuessed(fundings: string): string {
  return `(${fundings}.assumed
    and not exists (from meta where key = 'default-currency-stated' and value = 'true'))`;
}

/**
 * Tables of the analytics database. All of it is made from the facts and the companion's ledger, so
 * that the file may be deleted at any time. Times are milliseconds since 1970, amounts minor units of
 * the row's currency. No primary keys and no indexes: DuckDB checks them row by row and holds an index
 * in memory; the writer keeps rows unique.
 */
export const tables = `
create table meta (key varchar not null, value varchar not null);

-- Each record of each proven day. Where problem is not null the record is in quarantine: in no sum.
create table fundings (
  day varchar not null,
  id varchar not null,                    -- day ':' identity ['~' ordinal]
  identity varchar not null,
  hash varchar not null,                  -- SHA-256 of the normalised record
  order_key varchar not null,
  merchant_order_id varchar,
  currency varchar not null,
  assumed boolean not null,               -- the currency is the default one, not one the ledger states
  status varchar,
  transaction_type varchar,
  lender_name varchar,
  transaction_text varchar,               -- amounts as the service wrote them
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
  record_problem varchar,                 -- why it cannot be held in any currency
  problem varchar,                        -- why it cannot be held in its currency
  since bigint not null                   -- number of the fact with which the day had the first one of this id
);

-- Days whose facts are applied.
create table funding_days (
  day varchar not null,
  number bigint not null,                 -- of the fact that was applied last
  proven bigint not null,                 -- of the last one that proved the day; 0: none
  state varchar not null,                 -- complete, stale, unproven, failed
  sync_id varchar not null,
  sha256 varchar not null,                -- of the content that is in fundings
  proven_at bigint                        -- milliseconds since 1970
);

-- Settles and refunds the merchant believes in.
create table ledger_lines (
  order_key varchar not null,
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
  source varchar not null,                -- where it was first heard of: companion, import, api
  own boolean not null                    -- the companion itself states it: no file takes it away
);

-- Orders that the companion authorized: their currency is known before the first settle.
create table authorizations (
  order_key varchar not null,
  currency varchar not null,
  merchant_transaction_id varchar not null
);

-- Lines that an import took out of the books.
create table withdrawn_lines (
  order_key varchar not null,
  id varchar not null,
  type varchar not null,
  amount bigint not null,
  currency varchar not null,
  withdrawn_at bigint not null,
  actor varchar
);

-- Orders whose lines or fundings changed since they were judged.
create table dirty_orders (order_key varchar not null);

create table order_statuses (
  order_key varchar not null,
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
  changed_at bigint not null,             -- when the headline last changed
  assumed boolean not null                -- the currency is a guess: see guessed_fundings
);
create table order_exceptions (
  order_key varchar not null,
  currency varchar not null,
  code varchar not null,
  amount bigint not null,
  count integer not null,
  since bigint not null,
  content_hash varchar not null,          -- of the order's lines: an ignored case ends when it changes
  assumed boolean not null
);

-- What walk, discount audit and radar are sums of, written when an order is judged: one row for each
-- settle and refund of the orders that triage finds paid in full, and for all other orders rows of the
-- three tables after it. Each order is in the first table, or in the others; one whose currency is a
-- guess is in none.
create table paid_lines (
  order_key varchar not null,
  currency varchar not null,
  kind varchar not null,                  -- settle, refund
  lender varchar not null,                -- under its own name
  product_type varchar,
  promo_code varchar,
  settled_at bigint not null,             -- of the ledger line
  funded_at bigint not null,              -- of the funding that pays it
  amount bigint not null,
  discount bigint not null,
  net bigint not null,
  agreed_basis_points double,             -- by contract; null: there is none
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
create table discounts (                  -- see DiscountSums of the rules
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
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
create table claims (                     -- see ClaimSums of the rules
  order_key varchar not null,
  currency varchar not null,
  lender varchar not null,
  status varchar not null,
  count integer not null,
  amount bigint not null,
  wrong_count integer not null,
  wrong_amount bigint not null
);

-- Mirror of the cases in the record store.
create table cases (
  id varchar not null,
  order_key varchar not null,
  currency varchar not null,
  code varchar not null,
  merchant_order_id varchar,
  state varchar not null,                 -- open, resolved, ignored, closed
  amount bigint not null,
  count integer not null,
  since bigint not null,
  content_hash varchar not null,
  assignee varchar,
  reason varchar,
  opened_at bigint not null,
  updated_at bigint not null,
  alerted_at bigint
);

-- The currency of each order, by what the merchant states: empty where that is two. Others are not here.
create view order_currencies as
  select order_key, case when min(currency) = max(currency) then min(currency) else '' end as currency
  from (select order_key, currency from ledger_lines union all select order_key, currency from authorizations)
  group by order_key;

-- Fundings in the default currency, which nothing that was read says, and the merchant does not state.
create view guessed_fundings as
  select * from fundings where ${isGuessed('fundings')};
`;

/** Keys of {@link tables}' meta. */
export const metaKeys = {
  /** {@link SCHEMA_VERSION} */
  schema: 'schema',
  /** Id of the record store whose facts are here. */
  store: 'store',
  /** Number of the last fact applied. */
  applied: 'applied',
  /** Currency of fundings whose order has none that is known; empty: none. */
  defaultCurrency: 'default-currency',
  /** `true` where the merchant states that currency: then it is no guess. */
  defaultStated: 'default-currency-stated',
  /** Cursor of the companion's ledger: the last entry read. */
  ledger: 'ledger',
  /** `true` once that ledger was read to its end: before, orders would lack what was settled. */
  ledgerRead: 'ledger-read',
  /** `true` while fundings wait to be priced by what was read of that ledger. */
  unpriced: 'unpriced',
  /** Hash of policy and rules that judged all orders, and whether all data was there. */
  judgedBy: 'judged-by',
  judgedComplete: 'judged-complete',
  /** Number of the last pass that wrote a status, and the moment of the last pass. */
  judged: 'judged',
  judgedAt: 'judged-at',
  /** When all orders were judged last. */
  judgedAllAt: 'judged-all-at',
} as const;
