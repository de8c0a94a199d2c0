import type { ColumnType } from 'kysely';

/** 64 bits. The companion's drivers return a number or throw; a merchant's own driver may return text. */
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
  pings: PingsTable;
  prequalifications: PrequalificationsTable;
  links: LinksTable;
  link_claims: LinkClaimsTable;
  link_messages: LinkMessagesTable;
  second_confirmations: SecondConfirmationsTable;
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
  /** SHA-256 of the secret of the page that opened the checkout; null where an earlier version opened it. */
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
  /** Of the charge, in minor units; null until the charge is read again after its creation. */
  refunded_amount: NullableInteger;
  /** Of the order, in minor units; null where an earlier version primed it. */
  tax_amount: NullableInteger;
  shipping_tax_amount: NullableInteger;
  /** Total of the charge, in minor units, where it differs from `amount`, and the reason. */
  charged_amount: NullableInteger;
  charged_reason: string | null;
  created_at: Integer;
  updated_at: Integer;
  expires_at: Integer;
  attention_at: NullableInteger;
  attention_tries: number;
  /** JSON of the contract's `keptMessageSchema`; null where the page reported no message. */
  shown: string | null;
  /** `link`: the shopper continues on another device. Null for other checkouts. */
  via: string | null;
  /** JSON of the contract's `orderedItemSchema`; null where an earlier version primed it. */
  items: string | null;
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
  /** 1 or 0 for a charge; null for other kinds, and where an earlier version wrote the row. */
  settle: number | null;
  /** Environment and merchant order of a prime; null for other kinds, and where an earlier version wrote the row. */
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
  /** Null once the message is delivered or dead. */
  next_attempt_at: NullableInteger;
  delivered_at: NullableInteger;
  last_reason: string | null;
}

/** The operation that holds a charge: one at a time. */
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
  /** Name of the token that requested it; null for the companion itself, and in rows of earlier versions. */
  actor: string | null;
  request_id: string | null;
  lender_reference_id: string | null;
  /** 1 for a settle that was requested with its charge, under the charge's id. */
  with_charge: number | null;
  /** The person who stated the outcome, and the reason. */
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
  /** The lender's reference of the transaction, which is in its funding. */
  lender_reference_id: string | null;
  /** Amount of the order in minor units, where the charge differs from it, and the reason. */
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
  /** Null where an earlier version wrote the row: any companion may handle it. */
  environment: string | null;
  event: string;
  application_id: string;
  /** Null after its use. */
  confirmation_token: string | null;
  received_at: Integer;
  attention_at: NullableInteger;
  tries: number;
  handled_at: NullableInteger;
  outcome: string | null;
  /** Of the link that the notification names; null for other notifications. */
  checkout_id: string | null;
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

/** Applications without a cart. */
export interface PrequalificationsTable {
  id: string;
  environment: string;
  /** SHA-256 of the secret of the page that opened it. */
  secret_hash: string;
  fingerprint: string;
  status: string;
  currency: string;
  origin: string;
  return_url: string | null;
  locale: string | null;
  /** Null until the service has opened the session; so is `application_id`. */
  session_token: string | null;
  application_id: string | null;
  lease_until: Integer;
  created_at: Integer;
  expires_at: Integer;
}

export interface LinksTable {
  checkout_id: string;
  environment: string;
  merchant_order_id: string;
  /** Null, with `url`, while the answer of the service is lost. */
  link_id: string | null;
  /** Sent with the request for the link; notifications repeat it. */
  correlation_id: string;
  url: string | null;
  qr_code: string | null;
  delivery: string | null;
  state: string;
  /** Statuses of the link and its applications, to notice a change; no ids and no tokens. */
  progress: string;
  /** When `state` or `progress` changed. */
  changed_at: Integer;
  created_at: Integer;
  expires_at: Integer;
  attention_at: NullableInteger;
  attention_tries: number;
}

/** The one link of an order that lives or is being made. */
export interface LinkClaimsTable {
  environment: string;
  merchant_order_id: string;
  attempt_id: string;
  /** Null while the link is being made. */
  checkout_id: string | null;
  until: Integer;
}

/** Messages by which the service sends links. */
export interface LinkMessagesTable {
  /** The prime that makes the link. */
  attempt_id: string;
  /** Digest of the phone number or e-mail address under a key that is not in the store; null without a limit. */
  recipient: string | null;
  /** Environment and name of the back-office token, with a space between them. */
  sender: string;
  created_at: Integer;
}

/** Applications on a link that were confirmed and not charged. */
export interface SecondConfirmationsTable {
  checkout_id: string;
  application_id: string;
  seen_at: Integer;
}

/** One row, written to test whether the store is writable. */
export interface PingsTable {
  id: Integer;
}
