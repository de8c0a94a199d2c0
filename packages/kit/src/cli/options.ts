import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { check, type Schema } from './schema.ts';
import type { Shell } from './shell.ts';

/** A command option, with its type, its validation and its help text. */
export interface OptionOf<Value> {
  /** Name of the value in help pages, such as "<day>"; undefined for a boolean flag. */
  placeholder?: string;
  text: string;
  /** Returns the value, or throws an {@link InvalidArgumentError}. */
  read?: (text: string) => unknown;
  choices?: readonly string[];
  fallback?: string | number;
  isRequired?: boolean;
  /** Names of options that conflict with this one. */
  conflicts?: string[];
  /** Carries the type of the value; never set. */
  readonly value?: Value;
}

export type OptionTable = Readonly<Record<string, OptionOf<unknown>>>;
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends OptionOf<infer Value> ? Value : never;
};

/** An option without a value. */
export function flag(text: string): OptionOf<boolean | undefined> {
  return { text };
}

/** A string option, validated with the schema of the route's parameter if there is one. */
export function value(
  placeholder: string,
  text: string,
  schema?: Schema<unknown>,
): OptionOf<string | undefined> {
  return { placeholder, text, read: schema && ((typed) => checked(schema, typed)) };
}

export function choice<const Value extends string>(
  placeholder: string,
  values: readonly Value[],
  text: string,
): OptionOf<Value | undefined> {
  return { placeholder, text, choices: values };
}

/** An integer option. @param least the minimum */
export function count(placeholder: string, text: string, least = 0): OptionOf<number | undefined> {
  return {
    placeholder,
    text,
    read: (typed) => {
      if (!/^\d{1,15}$/.test(typed)) throw new InvalidArgumentError('It must be an integer.');
      if (Number(typed) < least) throw new InvalidArgumentError(`It must be ${least} or more.`);
      return Number(typed);
    },
  };
}

/** Adds a default value to an option. */
export function withDefault<Value extends string | number>(
  option: OptionOf<Value | undefined>,
  fallback: Value,
): OptionOf<Value> {
  return { ...option, fallback, value: undefined };
}

export function required<Value>(option: OptionOf<Value | undefined>): OptionOf<Value> {
  return { ...option, isRequired: true, value: undefined };
}

function checked(schema: Schema<unknown>, typed: string): string {
  const { issues } = check(schema, typed);
  if (issues === undefined) return typed;
  const [{ message } = { message: 'is invalid' }] = issues;
  throw new InvalidArgumentError(message.startsWith('must') ? `It ${message}.` : message);
}

const isKey = (text: string) => /^[\x21-\x7e]{1,255}$/.test(text);

const ofState = 'only in this state';

/**
 * Options with the same meaning in every program. Details, such as those of a filter, are appended
 * to the description.
 */
export const shared = {
  json: (detail?: string) => flag(detail === undefined ? 'print JSON' : `print JSON: ${detail}`),
  jsonLines: () => flag('print JSON: one object per line'),
  state: <const Value extends string>(values: readonly Value[], detail?: string) =>
    choice('<state>', values, detail === undefined ? ofState : `${ofState}: ${detail}`),
  from: (detail: string, schema?: Schema<unknown>) =>
    value('<day>', `begin of the period: ${detail}`, schema),
  to: (detail: string, schema?: Schema<unknown>) =>
    value('<day>', `end of the period, included: ${detail}`, schema),
  currency: (detail: string, schema?: Schema<unknown>) =>
    value('<code>', `currency (ISO 4217): ${detail}`, schema),
  key: (): OptionOf<string | undefined> => ({
    placeholder: '<key>',
    text: 'the Idempotency-Key of an earlier run, to get its outcome',
    read: (typed) => {
      if (isKey(typed)) return typed;
      throw new InvalidArgumentError(
        'It must be 1 to 255 printable ASCII characters without spaces.',
      );
    },
  }),
  by: (variable: string) =>
    value(
      '<name>',
      `the person who acts; default ${variable}, and without a token the logged-in user`,
    ),
};

/** Returns the Idempotency-Key of a write, and prints it before the write is sent. */
export function announceKey(shell: Shell, given: string = randomUUID()): string {
  shell.say(`Idempotency-Key ${given}`);
  return given;
}

/** Converts an option for the command-line parser. @param name in camel case */
export function parserOption(name: string, option: OptionOf<unknown>): Option {
  const long = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const flags = option.placeholder === undefined ? `--${long}` : `--${long} ${option.placeholder}`;
  const made = new Option(flags, option.text);
  if (option.choices) made.choices(option.choices);
  if (option.read) made.argParser(option.read);
  if (option.fallback !== undefined) made.default(option.fallback);
  if (option.isRequired) made.makeOptionMandatory();
  if (option.conflicts) made.conflicts(option.conflicts);
  return made;
}
