import { CamelCasePlugin } from 'kysely';

/**
 * 64-bit columns. The companion's drivers return a number or throw; a merchant's own driver may
 * return text.
 */
const integers = new Set([
  ...[
    'amount',
    'attentionAt',
    'changedAt',
    'chargedAmount',
    'claimedAt',
    'createdAt',
    'deliveredAt',
  ],
  ...[
    'expiresAt',
    'handledAt',
    'lastId',
    'leaseUntil',
    'nextAttemptAt',
    'occurredAt',
    'orderAmount',
  ],
  ...[
    'progressBefore',
    'receivedAt',
    'refundedAmount',
    'refusedAt',
    'revision',
    'seenAt',
    'sentAt',
  ],
  ...['shippingTaxAmount', 'taxAmount', 'until', 'updatedAt'],
]);

/**
 * Reads and writes columns in camel case. Reads null as undefined, and whole numbers as numbers.
 */
export class StoreRows extends CamelCasePlugin {
  protected override mapRow(row: Record<string, unknown>): Record<string, unknown> {
    const mapped = super.mapRow(row);
    for (const [column, value] of Object.entries(mapped)) {
      if (value === null) mapped[column] = undefined;
      else if (typeof value === 'string' && integers.has(column)) mapped[column] = Number(value);
    }
    return mapped;
  }
}

/** Returns values with null for undefined, which Kysely leaves out of an update. */
export function withNulls<Values extends object>(values: Values): Nulls<Values> {
  const entries: [string, unknown][] = Object.entries(values);
  const columns: Record<string, unknown> = {};
  for (const [name, value] of entries) columns[name] = value ?? null;
  return columns as Nulls<Values>;
}

type Nulls<Values> = {
  [Name in keyof Values]-?:
    | Exclude<Values[Name], undefined>
    | (undefined extends Values[Name] ? null : never);
};
