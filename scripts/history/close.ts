import type { PeriodDetail, Periods } from '../../packages/contract/dist/reconciliation/index.js';
import type { Stack } from '../stack.ts';
import { ask } from './ask.ts';

/** Why anna accepts what the seeded month leaves open. */
const reasons: Readonly<Record<string, string>> = {
  'cases-decided': 'The lenders correct these with their next statements.',
  'fundings-counted': 'The lender has been asked for the currency and the amount.',
};

/** Closes the first period: anna prepares it, and clara approves. Running it again changes nothing. */
export async function closeFirstPeriod({ reconciliation, secrets }: Stack): Promise<void> {
  const token = secrets.annaToken;
  const { periods } = await ask<Periods>(`${reconciliation}/periods`, { token });
  const first = periods.at(-1);
  if (first === undefined || first.state === 'closed') return;
  const path = `${reconciliation}/periods/${first.id}`;
  const change = (what: string, person: string, body: object = {}) =>
    ask(`${path}/${what}`, { token: person, body });
  const { checks } = await ask<PeriodDetail>(path, { token });
  for (const { check, digest, state } of checks) {
    const reason = reasons[check];
    if (state !== 'blocked' || reason === undefined) continue;
    await change('acceptance', token, { check, digest, reason });
  }
  await change('preparation', token);
  await change('close', secrets.claraToken);
}
