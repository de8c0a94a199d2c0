import { coverageSchema } from '@financing-checkout/contract';
import { Calendar } from '@financing-checkout/contract/calendar';
import { get } from './ask.ts';
import type { Shell } from './shell.ts';

/** Returns the days of the business zone, RECONCILIATION_ZONE of the program that answers. */
export async function businessDays(shell: Shell): Promise<Calendar> {
  return new Calendar((await get(shell, '/coverage', coverageSchema)).zone);
}
