import {
  choice,
  count,
  flag,
  optionOf,
  type OptionOf,
  type OptionTable,
  shared,
  value,
  withDefault,
} from '@financing-checkout/kit/cli';
import { type Filters, parametersOf } from '@financing-checkout/contract/reconciliation';
import { exportQuery, partQuery, walkQuery } from '../http/queries.ts';

/** Creates an option whose value is one of those that a route's parameter permits. */
export function oneOf<Value extends string>(
  placeholder: string,
  parameter: { unwrap: () => { options: readonly Value[] } },
  text: string,
): OptionOf<Value | undefined> {
  return choice(placeholder, parameter.unwrap().options, text);
}

/** Number of rows to print. Zero would print a false "nothing found". */
export const limit = withDefault(count('<count>', 'maximum number of rows', 1), 50);
export const threshold = withDefault(count('<count>', 'maximum number of open exceptions'), 0);
export const output = value('<file>', 'output file, written atomically');
export const by = shared.by('RECONCILIATION_USER');
export const lender = value(
  '<name>',
  'only with this lender, under any of its names',
  partQuery.shape.lender,
);
export const currency = shared.currency('only this one', partQuery.shape.currency);
/** The options of those filters that have one. */
type OptionsOf<Declared extends Filters> = {
  [Name in keyof Declared as Declared[Name] extends { option: string } ? Name : never]: OptionOf<
    (Declared[Name]['is'] extends 'either' | 'only' ? boolean : string) | undefined
  >;
};

export function optionsOf<const Declared extends Filters>(filters: Declared) {
  const parameters = Object.entries(parametersOf<Filters>(filters));
  return Object.fromEntries(
    parameters.flatMap(([name, parameter]) => {
      const option = filters[name]?.option;
      return option === undefined ? [] : [[name, optionOf(parameter, option)]];
    }),
  ) as OptionsOf<Declared>;
}

/** Filter options for sums, which match the parameters of their routes. */
export const part = {
  from: shared.from(
    'first day, such as 2026-01-01; without it from the beginning',
    partQuery.shape.from,
  ),
  to: shared.to('last day', partQuery.shape.to),
  zone: value(
    '<zone>',
    'zone of --from and --to; default RECONCILIATION_ZONE',
    partQuery.shape.zone,
  ),
  lender,
  currency,
} satisfies OptionTable;

/** CSV format options. */
export const csv = {
  decimal: oneOf(
    '<character>',
    walkQuery.shape.decimal,
    'decimal separator of CSV; with a comma, semicolons separate values',
  ),
  bom: flag('begin CSV with a byte order mark, for Excel'),
} satisfies OptionTable;

export const times = oneOf(
  '<form>',
  exportQuery.shape.times,
  'times of CSV: ISO 8601 with offset, or local times that a spreadsheet reads as dates',
);
export const zone = value(
  '<zone>',
  'zone of times in CSV and XLSX, and of --from and --to; default RECONCILIATION_ZONE',
  exportQuery.shape.zone,
);

/** Format options for an uploaded table. */
export const sheet = {
  sheet: value('<name>', 'sheet of an .xlsx: its name, or its number from 1'),
  delimiter: value('<character>', 'separator of CSV values'),
  encoding: value(
    '<name>',
    'such as windows-1252; default UTF-8; a byte order mark takes precedence',
  ),
} satisfies OptionTable;

export const ifRevision = count(
  '<number>',
  'refuse the action if the case has changed since this revision, which "cases show" prints',
  1,
);
