import { caseStates } from './case-verbs.ts';
import { exceptionCodes } from './exceptions.ts';
import { headlines } from './words.ts';

/**
 * How a filter selects rows:
 *
 * - `oneOf`, `name` and `currency` equal a value; `lender` accepts all names of a lender.
 * - `least` includes its bound, and `under` does not. Both are integers up to `most`.
 * - `only` selects rows for which something is true; `either` also selects those for which it is not.
 * - `from` and `to` are days, both included, or moments, of which `to` is not included.
 */
export type FilterKind =
  | { is: 'oneOf'; of: readonly [string, ...string[]] }
  | { is: 'least' | 'under'; most: number }
  | { is: 'currency' | 'either' | 'from' | 'lender' | 'name' | 'only' | 'to' };

/**
 * A filter of a list, declared once as plain data. Its query parameter, its option of a command, its SQL
 * and the console's filter in the URL are derived from it.
 */
export type Filter = Readonly<FilterKind> & {
  /** Description of the option, with `<value>  ` before it; without one the filter has no option. */
  readonly option?: string;
};
export type Filters = Readonly<Record<string, Filter>>;

const lender = {
  is: 'lender',
  option: '<name>  only with this lender, under any of its names',
} as const;
const currency = { is: 'currency', option: '<code>  currency (ISO 4217): only this one' } as const;
const to = {
  is: 'to',
  option: '<day>  end of the period, included; days are in RECONCILIATION_ZONE',
} as const;
const moved = {
  /** Only orders with a settle, refund or funding in the period. */
  from: {
    is: 'from',
    option: '<day>  begin of the period: orders with a settle, refund or funding from this day on',
  },
  to,
} as const;

const MOST_DAYS = 36_500;

export const caseFilters = {
  state: { is: 'oneOf', of: caseStates, option: '<state>  only in this state' },
  code: { is: 'oneOf', of: exceptionCodes, option: '<code>  only cases with this exception code' },
  currency,
  assignee: { is: 'name', option: '<name>  only cases of this person' },
  unassigned: { is: 'only', option: 'only cases without a person' },
  /** Until the person acts on the case. */
  mentioned: { is: 'name', option: '<name>  only cases whose notes mention this person' },
  /** In minor units, regardless of sign. */
  least: {
    is: 'least',
    most: Number.MAX_SAFE_INTEGER,
    option: '<minor-units>  only cases of this amount or more',
  },
  under: { is: 'under', most: Number.MAX_SAFE_INTEGER },
  days: { is: 'least', most: MOST_DAYS, option: '<count>  only cases of this age in days or more' },
  daysUnder: { is: 'under', most: MOST_DAYS },
  overdue: { is: 'only', option: 'only open cases whose due day has ended' },
  snoozed: { is: 'either', option: 'only snoozed cases' },
  /** The money of a case includes that of the cases merged into it, listed or not. */
  merged: { is: 'either', option: 'only cases that are handled with another one' },
  mergedInto: { is: 'name', option: '<case-id>  only cases that are handled with this one' },
  /** Only cases of orders with a funding from this lender. */
  lender,
  currencyAssumed: { is: 'either' },
  from: {
    is: 'from',
    option: '<day>  begin of the period: cases that were opened from this day on',
  },
  to,
  /** Of the exception, which may have begun before its case was opened. */
  begunTo: {
    is: 'to',
    option: '<day>  only cases that began until this day, as a close requires them decided',
  },
} as const satisfies Filters;

export const orderFilters = {
  headline: { is: 'oneOf', of: headlines, option: '<headline>  only orders with this headline' },
  exception: { is: 'oneOf', of: exceptionCodes, option: '<code>  only orders with this exception' },
  /** Only orders with a funding from this lender. */
  lender,
  currency,
  currencyAssumed: { is: 'either', option: 'only orders with an assumed currency' },
  ...moved,
} as const satisfies Filters;

export const exceptionFilters = {
  code: { is: 'oneOf', of: exceptionCodes, option: '<code>  only with this exception code' },
  currency,
  ...moved,
} as const satisfies Filters;

/**
 * Sort keys for a list of cases, each with its usual direction. `money` is the money at stake and
 * `amount` the signed amount, both in major units and with unknown currencies last; `opened` is the
 * order in which cases were opened, which no later change to a case affects.
 */
export const caseSorts = {
  money: 'desc',
  age: 'desc',
  due: 'asc',
  code: 'asc',
  order: 'asc',
  amount: 'desc',
  assignee: 'asc',
  state: 'asc',
  opened: 'asc',
} as const;
export type CaseSort = keyof typeof caseSorts;
export const caseSortNames = Object.keys(caseSorts) as [CaseSort, ...CaseSort[]];
export const caseSortDirections = ['asc', 'desc'] as const;
export type CaseSortDirection = (typeof caseSortDirections)[number];
