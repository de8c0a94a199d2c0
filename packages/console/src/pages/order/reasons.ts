import { statusReasons } from '@financing-checkout/contract/plain';
import { formats, language } from '../../locale/locale.ts';
import type { Part } from './comparison.ts';

/** The explanation of an order's status in one currency, and its language. */
interface Reasons {
  lang: 'en' | 'de';
  sentences: readonly string[];
}

/** Explains the status of an order: in German from the status itself, as the API does in English. */
export function reasonsOf({ currency, currencyAssumed, reasons, status }: Part): Reasons {
  if (language() !== 'de' || status === undefined) return { lang: 'en', sentences: reasons };
  const { amount, day, isoDay, zone } = formats();
  const sentences = statusReasons(status, 'de', {
    money: (minor) => `${amount(minor, currency)}${currencyAssumed === true ? ' (?)' : ''}`,
    day: (time) => day(isoDay(Date.parse(time))),
    zone,
  });
  return { lang: 'de', sentences };
}
