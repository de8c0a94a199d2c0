import type { ColumnType } from 'kysely';

/** 64 bits: PostgreSQL's driver returns them as text, so they are read through `Number`. */
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
