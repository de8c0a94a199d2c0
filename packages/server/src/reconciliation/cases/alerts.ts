import type { CaseAlert } from '@financing-checkout/contract';
import { environmentSchema } from '@financing-checkout/contract';
import { randomId } from '../../checkout/id.ts';
import { isoTime } from '../../clock/clock.ts';
import type { AlertPolicy } from '../policy.ts';
import { changeCases, type CaseContext, COMPANION } from './follow.ts';
import { merchantOrderIdOf } from '../../order-key.ts';
import type { CaseRow } from './rows.ts';

const BATCH = 200;
const DAY_MS = 86_400_000;

/**
 * Tells finance of open cases over a threshold: each once, and again only after it had ended and is
 * open again. The message is written with the case, and sent as any other.
 * @returns how many cases
 */
export async function alertCases(ctx: CaseContext, policy: AlertPolicy): Promise<number> {
  const { amount, days } = policy;
  const bySize = amount.default !== undefined || Object.keys(amount.currencies).length > 0;
  if (!bySize && days === undefined) return 0;
  let told = 0;
  let after = '';
  while (!ctx.signal?.aborted) {
    const query = {
      environment: ctx.environment,
      state: 'open' as const,
      untold: true,
      after,
      limit: BATCH,
    };
    const page = await ctx.store.findCases(query);
    const last = page.at(-1);
    if (last === undefined) break;
    const changes = await changeCases(ctx, async (store) => {
      const now = ctx.clock.now();
      const still = await store.findCases(query);
      return still
        .filter(({ id }) => id <= last.id)
        .flatMap((row) => {
          const cause = causeOf(row, policy, now);
          if (cause === undefined) return [];
          const message = {
            id: randomId('msg'),
            caseId: row.id,
            body: JSON.stringify(alertOf(ctx.environment, row, cause, now)),
          };
          const event = {
            caseId: row.id,
            kind: 'alerted' as const,
            actor: COMPANION,
            detail: { cause, amount: row.amount, message: message.id },
          };
          return [{ row: { ...row, alertedAt: now, updatedAt: now }, event, message }];
        });
    });
    told += changes.length;
    after = last.id;
  }
  return told;
}

function causeOf(
  row: CaseRow,
  { amount, days }: AlertPolicy,
  now: number,
): 'amount' | 'age' | undefined {
  const least = Object.hasOwn(amount.currencies, row.currency)
    ? amount.currencies[row.currency]
    : amount.default;
  if (least !== undefined && Math.abs(row.amount) >= least) return 'amount';
  return days !== undefined && now - row.since >= days * DAY_MS ? 'age' : undefined;
}

function alertOf(
  environment: string,
  row: CaseRow,
  cause: 'amount' | 'age',
  now: number,
): CaseAlert {
  const merchantOrderId = merchantOrderIdOf(row.orderKey);
  return {
    type: 'reconciliation.case.alert',
    timestamp: isoTime(now),
    data: {
      environment: environmentSchema.parse(environment),
      caseId: row.id,
      code: row.code,
      ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
      currency: row.currency,
      amount: row.amount,
      count: row.count,
      since: isoTime(row.since),
      cause,
    },
  };
}
