import {
  type AmountDifference,
  amountDifferenceReasons,
} from '@financing-checkout/contract/back-office';
import { type Money } from '@financing-checkout/contract/money';
import {
  type CheckoutStatus,
  checkoutStatusSchema,
  type Environment,
  environmentSchema,
  type KeptMessage,
  keptMessageSchema,
  type OrderedItem,
  orderedItemSchema,
} from '@financing-checkout/contract/storefront';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { withNulls } from './rows.ts';
import type { CheckoutsTable } from './schema.ts';

/** A checkout as stored. Times are milliseconds since 1970. */
export interface CheckoutRow {
  id: string;
  environment: Environment;
  merchantOrderId: string;
  amount: Money;
  status: CheckoutStatus;
  /** Only with `unavailable`. */
  retrySafe: boolean | undefined;
  /** Incremented by each change that is reported to the shop. */
  revision: number;
  /** Identifies the checkout at the service and to its hosted page. */
  sessionToken: string;
  /**
   * SHA-256 of the secret of the page that opened the checkout: the Idempotency-Key of its prime.
   */
  secretHash: string;
  applicationId: string | undefined;
  /** Origin of the page that started the checkout, for the hosted page's URL. */
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
  /**
   * SHA-256 hash of the confirmation token that claimed this checkout. The token itself is not
   * stored.
   */
  confirmationHash: string | undefined;
  /** Hashes of the order at the prime, and of the ticket (or reference) that contained it. */
  orderHash: string;
  ticketHash: string | undefined;
  /** Whether the page has sent a different order since the prime. */
  orderChanged: boolean;
  chargeId: string | undefined;
  chargeState: string | undefined;
  /**
   * Refunded amount of the charge, in minor units; undefined until the charge is reread after its
   * creation.
   */
  refundedAmount: number | undefined;
  /** Tax amounts of the order, in minor units. */
  taxAmount: number;
  shippingTaxAmount: number;
  /** Total of the charge if it differs from `amount`, and the reason. */
  charged: AmountDifference | undefined;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /**
   * When the checkout needs work next: to expire an open one, to recover a confirming one whose
   * companion died, to look up an unknown charge. The companion that moves this time forward holds
   * the checkout until then, so two companions do not work on the same checkout. Undefined means
   * that nothing is left to do.
   */
  attentionAt: number | undefined;
  /** Number of attempts, for the backoff. */
  attentionTries: number;
  /** The financing message that the page reported with the prime. */
  shown: KeptMessage | undefined;
  /** `link`: the shopper continues on another device, at the URL of a link. */
  via?: 'link' | undefined;
  items: OrderedItem[];
}

export function fromCheckout({ amount, charged, retrySafe, orderChanged, ...row }: CheckoutRow) {
  return withNulls({
    ...row,
    amount: amount.value,
    currency: amount.currency,
    retrySafe: retrySafe === undefined ? undefined : Number(retrySafe),
    orderChanged: Number(orderChanged),
    chargedAmount: charged?.amount.value,
    chargedReason: charged?.reason,
    shown: row.shown && JSON.stringify(row.shown),
    items: JSON.stringify(row.items),
    // This field is optional, but a prepared statement keeps the columns of its first call.
    via: row.via,
  });
}

export type CheckoutColumns = ReturnType<typeof fromCheckout>;

const differenceReason = z.enum(amountDifferenceReasons);
const orderedItems = z.array(orderedItemSchema);

export function toCheckout(columns: Selectable<CheckoutsTable>): CheckoutRow {
  const { amount, currency, chargedAmount, chargedReason, ...row } = columns;
  return {
    ...row,
    environment: environmentSchema.parse(row.environment),
    amount: { value: amount, currency },
    status: checkoutStatusSchema.parse(row.status),
    retrySafe: row.retrySafe === undefined ? undefined : row.retrySafe === 1,
    orderChanged: row.orderChanged === 1,
    charged:
      chargedAmount === undefined || chargedReason === undefined
        ? undefined
        : {
            amount: { value: chargedAmount, currency },
            reason: differenceReason.parse(chargedReason),
          },
    shown: row.shown === undefined ? undefined : keptMessageSchema.parse(JSON.parse(row.shown)),
    via: row.via === 'link' ? row.via : undefined,
    items: orderedItems.parse(JSON.parse(row.items)),
  };
}
