/** Variables of the program. */
const plainNames = [
  'RECONCILIATION_ANALYTICS_FILE',
  'RECONCILIATION_COMPANION_URL',
  'RECONCILIATION_HOST',
  'RECONCILIATION_PORT',
  'RECONCILIATION_URL',
  'RECONCILIATION_TRUSTED_PROXIES',
  'RECONCILIATION_FORWARDED_HEADER',
  'RECONCILIATION_IMPORT_LIMIT',
  'RECONCILIATION_INSECURE',
  'RECONCILIATION_ENVIRONMENT',
  'RECONCILIATION_ZONE',
  'RECONCILIATION_SYNC_MINUTES',
  'RECONCILIATION_PAGE_SIZE',
  'RECONCILIATION_PARALLEL',
  'RECONCILIATION_POLICY_FILE',
  'RECONCILIATION_DEFAULT_CURRENCY',
  'RECONCILIATION_ALERT_URL',
  'RECONCILIATION_MEMORY_LIMIT',
  'RECONCILIATION_THREADS',
  'RECONCILIATION_SPILL_LIMIT',
  // Used by the command line: the person on whose behalf it works.
  'RECONCILIATION_USER',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;
/** Variables that hold a secret; each also as `<name>_FILE`. */
const secretNames = [
  'RECONCILIATION_STORE',
  'RECONCILIATION_COMPANION_TOKEN',
  'RECONCILIATION_COMPANION_MONEY_TOKEN',
  'RECONCILIATION_TOKENS',
  'RECONCILIATION_ALERT_SECRET',
  // Used by the command line: its token for the API of a running `serve`.
  'RECONCILIATION_TOKEN',
] as const;
export type PlainName = (typeof plainNames)[number];
export type SecretName = (typeof secretNames)[number];

const known = new Set<string>([
  ...plainNames,
  ...secretNames,
  ...secretNames.map((name) => `${name}_FILE`),
]);

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ConfigurationProblem {
  variable: string;
  message: string;
}

/** All errors of a configuration, by variable, without values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(
      [
        'The configuration is not complete:',
        ...problems.map(({ variable, message }) => `  ${variable} ${message}`),
      ].join('\n'),
    );
    this.problems = problems;
  }
}

/** Reads variables and collects their problems. An empty variable counts as not set. */
export class EnvironmentReader {
  readonly problems: ConfigurationProblem[] = [];
  readonly #variables: Variables;
  readonly #readFile: (path: string) => string;

  constructor(variables: Variables, readFile: (path: string) => string) {
    this.#variables = variables;
    this.#readFile = readFile;
  }

  problem(variable: PlainName | SecretName | `${SecretName}_FILE`, message: string): void {
    this.problems.push({ variable, message });
  }

  #read(name: string): string | undefined {
    const value = this.#variables[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** @param wrong message for an invalid text */
  text(name: PlainName, accepts?: (text: string) => boolean, wrong = ''): string | undefined {
    const value = this.#read(name);
    if (value === undefined || accepts === undefined || accepts(value)) return value;
    this.problem(name, wrong);
    return undefined;
  }

  choice<Value extends string>(
    name: PlainName,
    values: readonly Value[],
    fallback?: Value,
  ): Value | undefined {
    const text = this.#read(name);
    if (text === undefined) {
      if (fallback === undefined) this.problem(name, `is required: ${values.join(', ')}`);
      return fallback;
    }
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) this.problem(name, `must be one of ${values.join(', ')}`);
    return value;
  }

  count(name: PlainName, fallback: number, least: number, most: number): number {
    const text = this.text(
      name,
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most,
      `must be an integer, ${least} to ${most}`,
    );
    return text === undefined ? fallback : Number(text);
  }

  /** Returns the text of a file that is not secret. */
  file(name: PlainName): string | undefined {
    const path = this.#read(name);
    if (path === undefined) return undefined;
    try {
      return this.#readFile(path);
    } catch {
      this.problem(name, 'points to an unreadable file');
      return undefined;
    }
  }

  /** Returns a secret from its variable or file. */
  secret(name: SecretName): string | undefined {
    const value = this.#read(name);
    const path = this.#read(`${name}_FILE`);
    if (path === undefined) {
      if (value === undefined || !isInQuotationMarks(value)) return value;
      this.problem(name, `is ${QUOTED}`);
      return undefined;
    }
    if (value !== undefined) {
      this.problem(name, `and ${name}_FILE are both set: keep one of them`);
      return undefined;
    }
    let text: string;
    try {
      text = this.#readFile(path).trim();
    } catch {
      this.problem(`${name}_FILE`, 'points to an unreadable file');
      return undefined;
    }
    // Invalid UTF-8 would decode to a secret that differs from the other side's.
    const wrong =
      text === ''
        ? 'an empty file'
        : /[\0\uFFFD]/.test(text)
          ? 'a file that is not UTF-8 text'
          : isInQuotationMarks(text)
            ? `a text ${QUOTED}`
            : undefined;
    if (wrong === undefined) return text;
    this.problem(`${name}_FILE`, `points to ${wrong}`);
    return undefined;
  }

  /** Returns whether a secret is configured, even if it cannot be read. */
  isNamed(name: SecretName): boolean {
    return (this.#read(name) ?? this.#read(`${name}_FILE`)) !== undefined;
  }

  /** Requires an address and the secret of its messages together. */
  together(address: PlainName, secret: SecretName): void {
    const hasAddress = this.#read(address) !== undefined;
    if (hasAddress === this.isNamed(secret)) return;
    if (hasAddress) this.problem(secret, `is required with ${address}`);
    else this.problem(address, `is required with ${secret}`);
  }

  /** Returns unknown names that resemble the program's variables: likely typing errors. */
  unknownVariables(): string[] {
    return Object.keys(this.#variables).filter(
      (name) => name.startsWith('RECONCILIATION_') && !known.has(name),
    );
  }
}

/**
 * Returns whether a text has quotation marks, as values in a .env file do. Some readers keep them,
 * and the secret then differs.
 */
function isInQuotationMarks(text: string): boolean {
  return text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
}

const QUOTED = 'in quotation marks, which would be part of it: remove them';
