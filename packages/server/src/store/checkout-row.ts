import {
  type AmountDifference,
  amountDifferenceReasons,
  type CheckoutStatus,
  checkoutStatusSchema,
  type Environment,
  environmentSchema,
  type KeptMessage,
  keptMessageSchema,
  type Money,
  type OrderedItem,
  orderedItemSchema,
} from '@financing-checkout/contract';
import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
import type { CheckoutsTable } from './schema.ts';

/** A checkout as the store holds it. Times are milliseconds since 1970. */
export interface CheckoutRow {
  id: string;
  environment: Environment;
  merchantOrderId: string;
  amount: Money;
  status: CheckoutStatus;
  /** Only with `unavailable`. */
  retrySafe: boolean | undefined;
  /** Grows by one with each change that the shop is notified of. */
  revision: number;
  /** Names the checkout at the service and to its hosted page. */
  sessionToken: string;
  /**
   * SHA-256 of the secret of the page that opened the checkout: the Idempotency-Key of its prime. Undefined
   * where an earlier version opened it.
   */
  secretHash: string | undefined;
  applicationId: string | undefined;
  /** Origin of the page that started the checkout, for the hosted page's address. */
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
  /** SHA-256 of the confirmation token that claimed this checkout. The token itself is not stored. */
  confirmationHash: string | undefined;
  /** Hashes of the order when it was primed, and of the ticket (or reference) that stated it. */
  orderHash: string | undefined;
  ticketHash: string | undefined;
  /** Whether the page has sent another order since. */
  orderChanged: boolean;
  chargeId: string | undefined;
  chargeState: string | undefined;
  /** Of the charge, in minor units; undefined until the charge is read again after its creation. */
  refundedAmount: number | undefined;
  /** Of the order, in minor units; undefined where an earlier version primed it. */
  taxAmount: number | undefined;
  shippingTaxAmount: number | undefined;
  /** Total of the charge where it differs from `amount`, and the reason. */
  charged: AmountDifference | undefined;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /**
   * When a companion has to work on the checkout: to expire an open one, to recover a confirming one whose
   * companion died, to look up an unknown charge. The companion that moves it forward holds the checkout
   * until then, so two companions do not work on the same one. Undefined: nothing is left to do.
   */
  attentionAt: number | undefined;
  /** How often a companion has tried, for the backoff. */
  attentionTries: number;
  /** The financing message that the page reported at the prime. */
  shown: KeptMessage | undefined;
  /** `link`: the shopper continues on another device, at the address of a link. */
  via?: 'link' | undefined;
  /** The items of the order; undefined where an earlier version primed it. */
  items?: OrderedItem[] | undefined;
}

/** Every column of a new checkout, none left out. */
export type CheckoutColumns = Required<Insertable<CheckoutsTable>>;

/** Returns the columns of a checkout. */
export function fromCheckout(row: CheckoutRow): CheckoutColumns {
  return {
    id: row.id,
    environment: row.environment,
    merchant_order_id: row.merchantOrderId,
    amount: row.amount.value,
    currency: row.amount.currency,
    status: row.status,
    retry_safe: row.retrySafe === undefined ? null : Number(row.retrySafe),
    revision: row.revision,
    session_token: row.sessionToken,
    secret_hash: row.secretHash ?? null,
    application_id: row.applicationId ?? null,
    origin: row.origin,
    return_url: row.returnUrl ?? null,
    locale: row.locale ?? null,
    confirmation_hash: row.confirmationHash ?? null,
    order_hash: row.orderHash ?? null,
    ticket_hash: row.ticketHash ?? null,
    order_changed: Number(row.orderChanged),
    charge_id: row.chargeId ?? null,
    charge_state: row.chargeState ?? null,
    refunded_amount: row.refundedAmount ?? null,
    tax_amount: row.taxAmount ?? null,
    shipping_tax_amount: row.shippingTaxAmount ?? null,
    charged_amount: row.charged?.amount.value ?? null,
    charged_reason: row.charged?.reason ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    expires_at: row.expiresAt,
    attention_at: row.attentionAt ?? null,
    attention_tries: row.attentionTries,
    shown: row.shown === undefined ? null : JSON.stringify(row.shown),
    via: row.via ?? null,
    items: row.items === undefined ? null : JSON.stringify(row.items),
  };
}

const differenceReason = z.enum(amountDifferenceReasons);

const optionalNumber = (value: number | string | null) =>
  value === null ? undefined : Number(value);

/** Returns a checkout from its columns. */
export function toCheckout(row: Selectable<CheckoutsTable>): CheckoutRow {
  return {
    id: row.id,
    environment: environmentSchema.parse(row.environment),
    merchantOrderId: row.merchant_order_id,
    amount: { value: Number(row.amount), currency: row.currency },
    status: checkoutStatusSchema.parse(row.status),
    retrySafe: row.retry_safe === null ? undefined : row.retry_safe === 1,
    revision: Number(row.revision),
    sessionToken: row.session_token,
    secretHash: row.secret_hash ?? undefined,
    applicationId: row.application_id ?? undefined,
    origin: row.origin,
    returnUrl: row.return_url ?? undefined,
    locale: row.locale ?? undefined,
    confirmationHash: row.confirmation_hash ?? undefined,
    orderHash: row.order_hash ?? undefined,
    ticketHash: row.ticket_hash ?? undefined,
    orderChanged: row.order_changed === 1,
    chargeId: row.charge_id ?? undefined,
    chargeState: row.charge_state ?? undefined,
    refundedAmount: optionalNumber(row.refunded_amount),
    taxAmount: optionalNumber(row.tax_amount),
    shippingTaxAmount: optionalNumber(row.shipping_tax_amount),
    charged:
      row.charged_amount === null || row.charged_reason === null
        ? undefined
        : {
            amount: { value: Number(row.charged_amount), currency: row.currency },
            reason: differenceReason.parse(row.charged_reason),
          },
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    expiresAt: Number(row.expires_at),
    attentionAt: optionalNumber(row.attention_at),
    attentionTries: row.attention_tries,
    shown: row.shown === null ? undefined : keptMessageSchema.parse(JSON.parse(row.shown)),
    ...(row.via === 'link' ? { via: 'link' as const } : {}),
    ...(row.items === null
      ? {}
      : { items: z.array(orderedItemSchema).parse(JSON.parse(row.items)) }),
  };
}
