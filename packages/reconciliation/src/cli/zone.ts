import { coverageSchema } from '@financing-checkout/contract';
import { Calendar } from '@financing-checkout/contract/calendar';
import { ask } from './api.ts';
import type { Shell } from './shell.ts';

/** Returns the days of the business zone, RECONCILIATION_ZONE of the program that answers. */
export async function businessDays(shell: Shell): Promise<Calendar> {
  const path = '/coverage';
  return new Calendar((await ask(shell, { method: 'GET', path, schema: coverageSchema })).zone);
}
