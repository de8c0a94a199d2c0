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
  created_at: Integer;
  updated_at: Integer;
}

export interface IdempotencyTable {
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

export interface TicketUsesTable {
  ticket_id: string;
  key: string;
  claimed_at: Integer;
}
