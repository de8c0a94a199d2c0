import { type LedgerOptions, ledgerOptions } from '@financing-checkout/contract/reconciliation';
import { inWords } from '@financing-checkout/contract/storefront';
import { InvalidArgumentError, optionOf } from '@financing-checkout/kit/cli';
import { z } from 'zod';

/** Examples of option values that have several words, appended to the descriptions. */
const examples: Readonly<Record<string, string>> = {
  map: 'such as "order=Order No,amount=Total"; "settled=…,refunded=…" for two amount columns',
  only: 'such as "Status=Paid,Status=Done"',
  skipRowsWithout: 'such as "amount,date,Payout id"',
  types:
    'such as "settle=Invoice,refund=Credit note"; sign=…: below 0 is a refund, skip=…: leave out',
};

/** Options that the command line describes or sets itself. */
const own = ['preset', 'by', 'file', 'source'];

/** The command's options, from the schema of the route. */
export const importOptions = Object.fromEntries(
  Object.entries(ledgerOptions.shape)
    .filter(([name]) => !own.includes(name))
    .map(([name, schema]) => {
      const { description = '', title } = schema.meta() ?? {};
      const text = [description, examples[name] ?? []].flat().join(', ');
      const option = optionOf(schema, `--${name} <${title}>  ${text}`);
      const { innerType: content } = schema.def;
      const hasWords = content instanceof z.ZodRecord || content instanceof z.ZodArray;
      return [
        name,
        hasWords ? { ...option, read: (typed: string) => wordsIn(schema, typed) } : option,
      ];
    }),
);

/** Parses a list, or name-value pairs. A name may be repeated if its value is a list. */
function wordsIn(schema: z.ZodType, typed: string): unknown {
  const parts = (typed.match(/(?:"(?:[^"]|"")*"|[^,"])+/g) ?? []).map((part) => part.trim());
  const content = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const value: unknown =
    content instanceof z.ZodRecord ? pairsIn(content, parts) : parts.map(unquoted);
  const { error } = schema.safeParse(value, { error: inWords });
  if (error === undefined) return value;
  const [{ message } = { message: 'is invalid' }] = error.issues;
  throw new InvalidArgumentError(`It ${message}.`);
}

function pairsIn({ valueType }: z.ZodRecord, parts: readonly string[]): Record<string, unknown> {
  const found = new Map<string, string[]>();
  for (const part of parts) {
    const [, name = '', word = ''] = /^("(?:[^"]|"")*"|[^=]*)=(.*)$/s.exec(part) ?? [];
    const key = unquoted(name.trim());
    found.set(key, [...(found.get(key) ?? []), unquoted(word.trim())]);
  }
  const isList = valueType instanceof z.ZodArray;
  return Object.fromEntries(
    Array.from(found, ([name, words]) => {
      if (!isList && words.length > 1) throw new InvalidArgumentError(`It names ${name} twice.`);
      return [name, isList ? words : words[0]];
    }),
  );
}

/** Removes double quotes, which enclose a name that contains a comma. */
function unquoted(text: string): string {
  return /^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** Formats options as command-line arguments. */
export function typedOptions(options: LedgerOptions): string {
  const typed = Object.entries(options).map(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? option : `${option} ${shellWord(textOf(value))}`;
  });
  return typed.join(' ');
}

function textOf(value: LedgerOptions[keyof LedgerOptions]): string {
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(quoted).join(',');
  const pairs = Object.entries<string | string[]>(value).flatMap(([name, words]) =>
    [words].flat().map((word) => `${quoted(name)}=${quoted(word)}`),
  );
  return pairs.join(',');
}

function quoted(text: string): string {
  return /[",=]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
