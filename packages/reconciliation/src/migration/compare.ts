import type { Funding } from '@financing-checkout/contract/back-office';
import type { MigrationLine } from '@financing-checkout/contract/reconciliation';
import { currencyAssumed } from '../queries/basis/reasons.ts';
import { added } from '../queries/basis/rows.ts';

/** Responses of the three operations for one day. */
export interface ReadDay {
  report: readonly Funding[];
  recordsV1: readonly Funding[];
  recordsV2: readonly Funding[];
}

type OrderLine = Extract<MigrationLine, { kind: 'order' }>;
type Summary = Extract<MigrationLine, { kind: 'summary' }>;
export type MigratedFunding = OrderLine['fundings'][number];

const versions = [
  ['recordsV1', 1],
  ['recordsV2', 2],
] as const;

/** Fields of the records operations. Additional fields of the report are not a difference. */
const comparedFields = [
  'transactionType',
  'lenderName',
  'transactionAmount',
  'discountAmount',
  'netAmount',
  'fundedAt',
  'updatedAt',
  'transactionDate',
  'transactionId',
  'merchantOrderId',
  'chargeId',
] as const satisfies readonly (keyof Funding)[];

interface Joined {
  report?: Funding;
  recordsV1?: Funding;
  recordsV2?: Funding;
}

/** Sums over all days, kept small because they are grouped by status, not by order. */
export class MigrationSums {
  readonly read = { report: 0, recordsV1: 0, recordsV2: 0 };
  readonly unreadable = { report: 0, recordsV1: 0, recordsV2: 0 };
  readonly differs: Record<string, number> = {};
  orders = 0;
  readonly #becomes = new Map<string, Summary['becomes'][number]>();

  add(joined: Joined, differs: readonly string[]): void {
    const { currencyAssumed, transactionAmount } = anyOf(joined);
    const { value, currency } = transactionAmount;
    for (const [name, version] of versions) {
      const records = joined[name]?.status;
      const report = joined.report?.status;
      if (records === undefined && report === undefined) continue;
      const key = JSON.stringify([version, records, report]);
      const sums = this.#becomes.get(key) ?? {
        version,
        records,
        report,
        count: 0,
        assumedCurrency: 0,
        amounts: {},
      };
      sums.count += 1;
      if (currencyAssumed === true) sums.assumedCurrency += 1;
      else {
        const { [currency]: sum = 0 } = sums.amounts;
        sums.amounts[currency] = added(sum, Math.abs(value));
      }
      this.#becomes.set(key, sums);
    }
    for (const field of differs) this.differs[field] = (this.differs[field] ?? 0) + 1;
  }

  becomes(): Summary['becomes'] {
    return [...this.#becomes.values()].sort((a, b) => a.version - b.version || b.count - a.count);
  }
}

/**
 * Compares the responses of the three operations for one day, funding by funding, and adds them to
 * the sums.
 * @returns the orders with differences, followed by fundings without an order
 */
export function compareDay(day: ReadDay, sums: MigrationSums): OrderLine[] {
  sums.read.report += day.report.length;
  sums.read.recordsV1 += day.recordsV1.length;
  sums.read.recordsV2 += day.recordsV2.length;
  const orders = new Map<string, MigratedFunding[]>();
  for (const joined of join(day)) {
    const differs = differingFields(joined);
    sums.add(joined, differs);
    const { report, recordsV1, recordsV2 } = joined;
    const same = report?.status === recordsV1?.status && report?.status === recordsV2?.status;
    if (same && differs.length === 0) continue;
    const order = anyOf(joined).merchantOrderId ?? '';
    orders.set(order, [...(orders.get(order) ?? []), migrated(joined, differs)]);
  }
  sums.orders += orders.size;
  return [...orders]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1))
    .map(([order, fundings]) => ({
      kind: 'order',
      ...(order === '' ? {} : { merchantOrderId: order }),
      fundings,
    }));
}

/**
 * Matches the operations' fundings. Records have no id and no order, so they are first matched by
 * their whole content, which pairs equal ones; then by all identifying fields; and the rest by
 * transaction alone, so that a different amount is one difference rather than two fundings.
 */
function join(day: ReadDay): Joined[] {
  const whole: Joined[] = [];
  let parts = operations.flatMap((operation) =>
    day[operation].map((funding): Joined => ({ [operation]: funding })),
  );
  for (const nameOf of [wholeText, exactName, ({ transactionId }: Funding) => transactionId]) {
    const joined = joinBy(parts, nameOf);
    const isWhole = (one: Joined) => operationsOf(one).length === operations.length;
    whole.push(...joined.filter(isWhole));
    parts = joined.filter((one) => !isWhole(one));
  }
  return [...whole, ...parts];
}

/** Joins items with the same key; an item without a key stays alone. */
function joinBy(
  parts: readonly Joined[],
  nameOf: (funding: Funding) => string | undefined,
): Joined[] {
  const found: Joined[] = [];
  const byName = new Map<string, Joined[]>();
  for (const part of parts) {
    const name = nameOf(anyOf(part));
    const same = (name === undefined ? undefined : byName.get(name)) ?? [];
    // Several items with the same key are joined in order.
    const free = same.find((joined) =>
      operationsOf(part).every((operation) => joined[operation] === undefined),
    );
    if (free) {
      Object.assign(free, part);
      continue;
    }
    const joined = { ...part };
    found.push(joined);
    same.push(joined);
    if (name !== undefined) byName.set(name, same);
  }
  return found;
}

const operations = ['report', 'recordsV1', 'recordsV2'] as const;
const operationsOf = (joined: Joined) => operations.filter((name) => joined[name] !== undefined);

function wholeText(funding: Funding): string {
  return JSON.stringify([
    funding.status,
    ...comparedFields.map((field) => comparable(funding[field])),
  ]);
}

function exactName(funding: Funding): string {
  const { transactionId, merchantOrderId, chargeId, transactionType, lenderName } = funding;
  const { fundedAt, transactionAmount } = funding;
  return JSON.stringify([
    transactionId,
    merchantOrderId,
    chargeId,
    transactionType,
    lenderName,
    Date.parse(fundedAt) || fundedAt,
    transactionAmount.value,
  ]);
}

function differingFields({ report, recordsV1, recordsV2 }: Joined): string[] {
  if (report === undefined) return [];
  const others = [recordsV1, recordsV2].filter((funding) => funding !== undefined);
  return comparedFields.filter((field) =>
    others.some((other) => comparable(other[field]) !== comparable(report[field])),
  );
}

/** Treats null and a missing field as equal. */
function comparable(value: Funding[(typeof comparedFields)[number]]): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function migrated(joined: Joined, differs: string[]): MigratedFunding {
  const { report, recordsV1, recordsV2 } = joined;
  const funding = anyOf(joined);
  const { transactionId, transactionType, transactionAmount, fundedAt } = funding;
  return {
    transactionId,
    transactionType,
    amount: transactionAmount.value,
    currency: transactionAmount.currency,
    ...currencyAssumed(funding.currencyAssumed),
    fundedAt,
    ...(report === undefined ? {} : { report: report.status }),
    ...(recordsV1 === undefined ? {} : { recordsV1: recordsV1.status }),
    ...(recordsV2 === undefined ? {} : { recordsV2: recordsV2.status }),
    differs,
  };
}

function anyOf({ report, recordsV1, recordsV2 }: Joined): Funding {
  const funding = report ?? recordsV2 ?? recordsV1;
  if (funding === undefined) throw new TypeError('Nothing was joined.');
  return funding;
}
