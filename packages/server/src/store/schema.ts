import type { ColumnType } from 'kysely';

/** 64 bits. Ours are numbers in both drivers, or an error; a driver of a merchant's may give text. */
type Integer = ColumnType<number | string, number, number>;
type NullableInteger = ColumnType<number | string | null, number | null, number | null>;

/**
 * Tables. Portable between SQLite and PostgreSQL: text and
 * integers, no booleans, no JSON type.
 */
export interface Schema {
  checkouts: CheckoutsTable;
  attempts: AttemptsTable;
  idempotency: IdempotencyTable;
  order_claims: OrderClaimsTable;
  outbox: OutboxTable;
  charge_turns: ChargeTurnsTable;
  charge_operations: ChargeOperationsTable;
  ledger: LedgerTable;
  ledger_head: LedgerHeadTable;
  notifications: NotificationsTable;
  ticket_uses: TicketUsesTable;
  refusals: RefusalsTable;
  fundings: FundingsTable;
  funding_records: FundingRecordsTable;
  funding_versions: FundingVersionsTable;
  funding_quarantine: FundingQuarantineTable;
  funding_slices: FundingSlicesTable;
  funding_runs: FundingRunsTable;
  funding_shares: FundingSharesTable;
  leases: LeasesTable;
  dirty_orders: DirtyOrdersTable;
  cases: CasesTable;
  case_events: CaseEventsTable;
  case_chains: CaseChainsTable;
  ledger_lines: LedgerLinesTable;
  ledger_projections: LedgerProjectionsTable;
  ledger_imports: LedgerImportsTable;
  ledger_import_lines: LedgerImportLinesTable;
  withdrawn_lines: WithdrawnLinesTable;
  order_statuses: OrderStatusesTable;
  order_exceptions: OrderExceptionsTable;
  recomputes: RecomputesTable;
  recompute_ranges: RecomputeRangesTable;
}

export interface CheckoutsTable {
  id: string;
  environment: string;
  merchant_order_id: string;
  amount: Integer;
  currency: string;
  status: string;
  retry_safe: number | null;
  revision: Integer;
  session_token: string;
  /** SHA-256 of the secret of the page that opened it; null where an earlier version opened it. */
  secret_hash: string | null;
  application_id: string | null;
  origin: string;
  return_url: string | null;
  locale: string | null;
  confirmation_hash: string | null;
  order_hash: string | null;
  ticket_hash: string | null;
  order_changed: number | null;
  charge_id: string | null;
  charge_state: string | null;
  /** Of the charge, in minor units; null where it was not read since. */
  refunded_amount: NullableInteger;
  /** Of the order, in minor units; null where an earlier version primed it. */
  tax_amount: NullableInteger;
  shipping_tax_amount: NullableInteger;
  /** Total of the charge, in minor units, where it is not `amount`, and the reason. */
  charged_amount: NullableInteger;
  charged_reason: string | null;
  created_at: Integer;
  updated_at: Integer;
  expires_at: Integer;
  attention_at: NullableInteger;
  attention_tries: number;
}

export interface AttemptsTable {
  id: string;
  kind: string;
  checkout_id: string | null;
  merchant_transaction_id: string | null;
  state: string;
  service_request_id: string | null;
  reason: string | null;
  request_id: string | null;
  /** 1 or 0, of a charge; null where an earlier version has written it. */
  settle: number | null;
  /** Environment and merchant order of a prime; null of others, and where an earlier version has written it. */
  prime_of: string | null;
  created_at: Integer;
  updated_at: Integer;
}

export interface IdempotencyTable {
  /** Environment and Idempotency-Key, with a space between them. */
  key: string;
  fingerprint: string;
  attempt_id: string;
  state: string;
  lease_until: Integer;
  checkout_id: string | null;
  problem: string | null;
  created_at: Integer;
}

export interface OrderClaimsTable {
  environment: string;
  merchant_order_id: string;
  checkout_id: string;
}

export interface OutboxTable {
  id: string;
  checkout_id: string;
  body: string;
  created_at: Integer;
  tries: number;
  /** Null once it is delivered or given up. */
  next_attempt_at: NullableInteger;
  delivered_at: NullableInteger;
  last_reason: string | null;
  /** Set in a message to finance; null in one to the shop. */
  case_id: string | null;
}

/** Whose turn it is on a charge: one operation at a time. */
export interface ChargeTurnsTable {
  environment: string;
  charge_id: string;
  revision: Integer;
  operation_id: string | null;
}

export interface ChargeOperationsTable {
  id: string;
  environment: string;
  charge_id: string;
  merchant_order_id: string;
  kind: string;
  amount: NullableInteger;
  currency: string | null;
  merchant_transaction_id: string;
  key: string;
  fingerprint: string;
  progress_before: Integer;
  state: string;
  transaction_id: string | null;
  service_request_id: string | null;
  reason: string | null;
  problem: string | null;
  created_at: Integer;
  sent_at: Integer;
  updated_at: Integer;
  attention_at: NullableInteger;
  attention_tries: number;
  request_id: string | null;
  lender_reference_id: string | null;
  /** 1: a settle that was requested with its charge, under the charge's id. */
  with_charge: number | null;
  /** A person who said what became of it, and why. */
  resolved_by: string | null;
  resolution_note: string | null;
}

export interface LedgerTable {
  id: Integer;
  environment: string;
  merchant_order_id: string;
  charge_id: string | null;
  type: string;
  amount: NullableInteger;
  currency: string | null;
  merchant_transaction_id: string;
  transaction_id: string | null;
  /** The lender's reference of the transaction, which its funding carries. */
  lender_reference_id: string | null;
  /** Amount of the order in minor units, where the charge is another one, and the reason. */
  order_amount: NullableInteger;
  order_amount_reason: string | null;
  state: string;
  occurred_at: Integer;
  created_at: Integer;
}

/** One row: the id of the last ledger entry. */
export interface LedgerHeadTable {
  last_id: Integer;
}

export interface NotificationsTable {
  id: string;
  /** Null in one that came before it was kept: any companion may act on that. */
  environment: string | null;
  event: string;
  application_id: string;
  /** Null once it has been used. */
  confirmation_token: string | null;
  received_at: Integer;
  attention_at: NullableInteger;
  tries: number;
  handled_at: NullableInteger;
  outcome: string | null;
}

export interface RefusalsTable {
  request_id: string;
  code: string;
  detail: string;
  refused_at: Integer;
}

export interface TicketUsesTable {
  ticket_id: string;
  key: string;
  claimed_at: Integer;
}

/** What the merchant believes, one line for each settle and refund; its id is unique. */
export interface LedgerLinesTable {
  environment: string;
  /** `order:` and the merchant's order id. */
  order_key: string;
  currency: string;
  id: string;
  merchant_order_id: string;
  /** Settle or Refund. */
  type: string;
  /** Minor units, positive. */
  amount: Integer;
  occurred_at: Integer;
  transaction_id: string | null;
  merchant_transaction_id: string | null;
  /** The lender's reference, which the funding of the line carries. */
  lender_reference_id: string | null;
  charge_id: string | null;
  /** Where it was first heard of: companion, import or api. */
  source: string;
  created_at: Integer;
}

/** How far the companion's own ledger has become ledger lines. */
export interface LedgerProjectionsTable {
  environment: string;
  last_id: Integer;
}

/** The import of ledger lines that is under way, or the last one. */
export interface LedgerImportsTable {
  environment: string;
  id: string;
  /**
   * checking, applying or done. Applying is carried through, by whoever comes next. discarding: it
   * was given up while it was checked.
   */
  state: string;
  /** import or api. */
  source: string;
  /** add or withdraw. */
  action: string;
  /** Who withdraws. */
  actor: string | null;
  lines: Integer;
  added: Integer;
  /** By how many of `added` fundings have been priced; -1: by none, nor by the import before it. */
  repriced: Integer;
  created_at: Integer;
  /** Until when whoever works at it has said to. */
  until: Integer;
  finished_at: NullableInteger;
}

export interface LedgerImportLinesTable {
  import_id: string;
  id: string;
  /** Number in the file, from 1. */
  line: Integer;
  order_key: string;
  currency: string;
  merchant_order_id: string;
  type: string;
  amount: Integer;
  occurred_at: Integer;
  transaction_id: string | null;
  merchant_transaction_id: string | null;
  charge_id: string | null;
}

/** A line that was taken out of the books, as it was there. */
export interface WithdrawnLinesTable extends LedgerLinesTable {
  withdrawn_at: Integer;
  /** Who took it out. */
  actor: string | null;
  /** The import that took it out. */
  import_id: string;
}

/** An order in one currency as it stands by the arithmetic; an orphan is an order of its own. */
export interface OrderStatusesTable {
  environment: string;
  order_key: string;
  currency: string;
  merchant_order_id: string | null;
  funding: string;
  returns: string;
  headline: string;
  expected_settle: Integer;
  expected_refund: Integer;
  funded_settle: Integer;
  funded_refund: Integer;
  funded_chargeback: Integer;
  funded_reversal: Integer;
  discount: Integer;
  net: Integer;
  awaiting: Integer;
  recheck_at: NullableInteger;
  /** Of the lines it rests on; empty where nothing is wrong. */
  lines_hash: string;
  /** When it was found to be as it stands here; one that is found again is not written again. */
  computed_at: Integer;
  /** When its headline last changed. */
  changed_at: Integer;
}

export interface OrderExceptionsTable {
  environment: string;
  order_key: string;
  currency: string;
  code: string;
  amount: Integer;
  count: Integer;
  since: Integer;
  /** Changes when the exception, or a line it rests on, does. */
  content_hash: string;
}

/** The full recompute that is under way, or the last one. */
export interface RecomputesTable {
  environment: string;
  run: string;
  /** Hash of the policy and version of the rules that it went by. */
  rules: string;
  /** 1: the data was complete, so that what was missing could be called so. */
  complete: number;
  /** The moment it computes the statuses of. */
  now: Integer;
  /** running or complete. */
  state: string;
  started_at: Integer;
  finished_at: NullableInteger;
  /** 1: what it finds otherwise than it stood was changed behind our back. */
  is_check: number;
  /** How much of that was put right, by this one or one before it, and nobody was told of yet. */
  unexplained: ColumnType<number | string, number | undefined, number>;
}

/** One part of a full recompute: orders after a key up to another; the last one has no end. */
export interface RecomputeRangesTable {
  environment: string;
  run: string;
  ordinal: number;
  after_key: string;
  last_key: string | null;
  /** open or done. */
  state: string;
  /** Who works at it, and until when. */
  holder: string | null;
  until: Integer;
  orders: Integer;
  changed: Integer;
}

/** What is done about an exception of an order; one case for each, however often it comes back. */
export interface CasesTable {
  id: string;
  environment: string;
  order_key: string;
  currency: string;
  code: string;
  merchant_order_id: string | null;
  /** open, resolved, ignored or closed. */
  state: string;
  amount: Integer;
  count: Integer;
  since: Integer;
  /** What the case was decided on: another one opens it again. */
  content_hash: string;
  assignee: string | null;
  reason: string | null;
  opened_at: Integer;
  updated_at: Integer;
  alerted_at: NullableInteger;
}

/** Everything that was done to cases: added to, never changed; each is hashed with the one before. */
export interface CaseEventsTable {
  environment: string;
  /** Counts up by one, without a gap. */
  seq: Integer;
  case_id: string;
  at: Integer;
  kind: string;
  actor: string;
  /** JSON. */
  detail: string;
  /** Hash of the event before. */
  previous: string;
  hash: string;
  /** Idempotency-Key of the request it was made by. */
  key: string | null;
}

/** Where the chain of events ends. */
export interface CaseChainsTable {
  environment: string;
  last_seq: Integer;
  last_hash: string;
}

/** Fundings the service states now, of all slices. Money in minor units, times in milliseconds. */
export interface FundingsTable {
  environment: string;
  /** `order:` and the merchant's order id, or `funding:` and the identity of one that names none. */
  order_key: string;
  /** Empty: not known. Such amounts are hundredths; they are listed, and never summed. */
  currency: string;
  /** Begins with the day of its slice. */
  id: string;
  slice_day: string;
  merchant_order_id: string | null;
  status: string;
  transaction_type: string;
  lender_name: string;
  transaction_amount: Integer;
  discount_amount: Integer;
  net_amount: Integer;
  funded_at: Integer;
  updated_at: Integer;
  transaction_date: NullableInteger;
  transaction_id: string | null;
  merchant_transaction_id: string | null;
  charge_id: string | null;
  lender_reference_id: string | null;
  product_type: string | null;
  promo_code: string | null;
  /** Of the record as it came. */
  hash: string;
  version: Integer;
}

/** The records behind `fundings`, as JSON, without names and e-mail addresses. */
export interface FundingRecordsTable {
  environment: string;
  id: string;
  raw: string;
}

/** What a funding was before it changed (`superseded`) or went away (`gone`). */
export interface FundingVersionsTable {
  environment: string;
  id: string;
  version: Integer;
  hash: string;
  raw: string;
  slice_day: string;
  replaced_at: Integer;
  reason: string;
}

/** Records that cannot be held: an amount with too many decimals, a date that is none. */
export interface FundingQuarantineTable {
  environment: string;
  id: string;
  slice_day: string;
  order_key: string | null;
  reason: string;
  raw: string;
  seen_at: Integer;
}

/** The proof of a day: how it was read, and what is there. */
export interface FundingSlicesTable {
  environment: string;
  /** "2026-01-31", in the zone of reconciliation. */
  day: string;
  /** `complete`, or why not: `writing`, `unproven`, `failed`, `stale`. */
  state: string;
  reason: string | null;
  run_id: string;
  passes: Integer;
  pages: Integer;
  /** Rows that two pages had to agree on, and did. */
  overlap_rows: Integer;
  rows: Integer;
  changed: Integer;
  gone: Integer;
  quarantined: Integer;
  /** JSON: by currency, decimal text of the sums in minor units. */
  sums: string;
  hash: string;
  zone: string;
  /** When it was last proven. */
  synced_at: NullableInteger;
}

/** Runs of the sync: `running`, `complete`, `partial`, `failed`. */
export interface FundingRunsTable {
  id: string;
  environment: string;
  state: string;
  reason: string | null;
  from_day: string;
  to_day: string;
  zone: string;
  /** 1: only what is due by age. 0: all of it. */
  tiers: number;
  started_at: Integer;
  /** How often it was taken up again. */
  resumed: Integer;
  ended_at: NullableInteger;
  slices_planned: Integer;
  slices_done: Integer;
  slices_unproven: Integer;
  rows: Integer;
  changed: Integer;
  gone: Integer;
  quarantined: Integer;
}

/** Days of the run that is under way, of which one companion at a time takes a part. */
export interface FundingSharesTable {
  environment: string;
  /** Unique to how the run was cut. */
  plan: string;
  /** From 1; 0 has what was counted before the run was cut, and no days. */
  ordinal: number;
  run_id: string;
  /** Holder of the lease of the run: with that of another one, shares are worth nothing. */
  leader: string;
  /** JSON: newest first. */
  days: string;
  /** open or done. */
  state: string;
  /** Who is at it, and until when. */
  holder: string | null;
  until: Integer;
  slices_done: Integer;
  slices_unproven: Integer;
  rows: Integer;
  changed: Integer;
  gone: Integer;
  quarantined: Integer;
  /** JSON: what has to be known of its days once all are read. */
  findings: string;
}

/** Who may do what only one may do at a time. */
export interface LeasesTable {
  name: string;
  holder: string;
  until: Integer;
}

/** Orders whose lines changed since their status was computed. */
export interface DirtyOrdersTable {
  environment: string;
  order_key: string;
  /** Grows with each change: who computed an older one must not remove the row. */
  generation: Integer;
}
