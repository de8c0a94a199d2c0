import { forwardedHeaders, PROXIES_RULE, readProxies } from '../limits/client-address.ts';
import { Secret } from '../secret/secret.ts';
import {
  isApiAddress,
  isHost,
  isToken,
  isWebhookAddress,
  isWebhookSecret,
  TOKEN_RULE,
} from './values.ts';

/** Origin of a variable's text. */
export interface Source {
  /** Records a problem more specific than the rule, worded to follow the variable's name. */
  refuse: (message: string) => void;
  /** The file of a secret; undefined if the variable holds the text itself. */
  file: string | undefined;
}

/** How the text of a variable is parsed. */
export interface VariableType<Value> {
  /** Returns the parsed value; undefined for an invalid text. */
  read: (text: string, source: Source) => Value | undefined;
  /**
   * The rule for the text, worded to follow the variable's name: "must be a port number, 0 to
   * 65535".
   */
  rule: string;
}

/**
 * An environment variable: the reader, its errors, `doctor` and the documentation are derived from
 * this.
 */
export interface Variable<Value = unknown> {
  type: VariableType<Value>;
  /**
   * Path of the value in the configuration: `name`, or `group.name`. With `group?.name`, the group is
   * absent without this value. With `name[]`, all variables of this path form a list.
   */
  as?: string;
  /**
   * Default text for a missing variable. Without a fallback, a missing variable is an error or
   * undefined.
   */
  fallback?: string;
  isRequired?: boolean;
  /** Whether `<name>_FILE` may name a file with the value, which no message repeats. */
  isSecret?: boolean;
  /** Whether an empty file means that the secret does not exist yet. */
  mayFileBeEmpty?: boolean;
  /** The default as documented, if the program computes it. */
  otherwise?: string;
  /** The variable's description, in Markdown. */
  text: string;
}

export type VariableTable = Readonly<Record<string, Variable>>;

export type ValueOf<One> = One extends { type: VariableType<infer Value> }
  ? One extends { fallback: string }
    ? Value
    : Value | undefined
  : never;

/** A string that satisfies a predicate. */
export function matching(accepts: (text: string) => boolean, rule: string): VariableType<string> {
  return { read: (text) => (accepts(text) ? text : undefined), rule };
}

/** A secret that satisfies a predicate. */
export function secretText(accepts: (text: string) => boolean, rule: string): VariableType<Secret> {
  return { read: (text) => (accepts(text) ? new Secret(text) : undefined), rule };
}

/** One of several words. */
export function oneOf<const Value extends string>(values: readonly Value[]): VariableType<Value> {
  return {
    read: (text) => values.find((value) => value === text),
    rule: `must be one of ${values.join(', ')}`,
  };
}

const MINUTE_MS = 60_000;

/** A whole number of minutes in a range, read as milliseconds. */
export function minutes(least: number, most: number): VariableType<number> {
  const { read, rule } = integer(least, most, 'minutes');
  return {
    read(text, source) {
      const count = read(text, source);
      return count === undefined ? undefined : count * MINUTE_MS;
    },
    rule,
  };
}

/** An integer in a range. @param unit such as "milliseconds" */
export function integer(least: number, most: number, unit?: string): VariableType<number> {
  return {
    read: (text) =>
      /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
        ? Number(text)
        : undefined,
    rule: `must be an integer${unit === undefined ? '' : ` of ${unit}`}, ${least} to ${most}`,
  };
}

export const anyText = matching(() => true, 'must be a text');
export const yesOrNo: VariableType<boolean> = {
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  rule: 'must be one of true, false',
};
export const host = matching(
  isHost,
  'must be a host name or an address, without brackets or a port',
);
/** A port number; 0 means any free port. */
export const port: VariableType<number> = {
  read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  rule: 'must be a port number, 0 to 65535',
};
export const apiAddress = matching(
  isApiAddress,
  'must be an http or https address without a user, a query or a fragment',
);
export const webhookAddress = matching(
  isWebhookAddress,
  'must be an https address without a user (http only on loopback)',
);
export const anySecret = secretText(() => true, 'must be a text');
export const token = secretText(isToken, `must be ${TOKEN_RULE}`);
export const webhookSecret = secretText(
  isWebhookSecret,
  'must be whsec_ and the base64 of 24 to 64 bytes',
);
export const proxies: VariableType<string[]> = { read: readProxies, rule: PROXIES_RULE };
export const forwardedHeader = oneOf(forwardedHeaders);

/** Logging variables, which every program has. */
export const logVariables = {
  LOG_LEVEL: {
    as: 'logLevel',
    type: oneOf(['debug', 'info', 'warn', 'error']),
    fallback: 'info',
    text: 'least severe lines of the log: `debug`, `info`, `warn` or `error`',
  },
  LOG_FORMAT: {
    as: 'logFormat',
    type: oneOf(['json', 'text']),
    fallback: 'json',
    text: 'form of the log on standard output: `json`, one object per line, or `text` for a terminal',
  },
} as const satisfies VariableTable;
