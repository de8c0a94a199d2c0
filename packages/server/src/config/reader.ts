import { isInQuotationMarks, QUOTED } from '../keys/quotation.ts';
import { isIpv6 } from '@financing-checkout/kit';

/** Variables of the companion. Each secret also has `<name>_FILE`. */
const plainNames = [
  'FINANCING_ENVIRONMENT',
  'FINANCING_BASE_URL',
  'FINANCING_CA_FILE',
  'FINANCING_DEADLINE_MS',
  'FINANCING_CHARGE_DEADLINE_MS',
  'FINANCING_KNOWN_BASE_URLS',
  'FINANCING_CONCURRENCY',
  'FINANCING_QUEUE',
  'FINANCING_HOSTED_URL',
  'FINANCING_SDK_URL',
  'FINANCING_SDK_GLOBAL',
  'FINANCING_SDK_INTEGRITY',
  'FINANCING_CHECKOUT_OPERATION',
  'FINANCING_PROGRAMMES_FILE',
  'FINANCING_SETTLE',
  'FINANCING_DEFAULT_CURRENCY',
  'ORDER_TICKET_AUDIENCE',
  'ORDER_TICKET_ONE_TIME',
  'ORDER_TICKET_MAX_LIFETIME_SECONDS',
  'COMPANION_ALLOWED_ORIGINS',
  'COMPANION_TRUSTED_PROXIES',
  'COMPANION_FORWARDED_HEADER',
  'COMPANION_RATE_LIMIT_PER_ADDRESS',
  'COMPANION_CONCURRENCY_PER_ADDRESS',
  'COMPANION_RATE_LIMIT_PER_KEY',
  'COMPANION_RATE_LIMIT_OPEN_PER_ORDER',
  'COMPANION_RATE_LIMIT_PRIMES_PER_ORDER',
  'COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER',
  'COMPANION_RATE_LIMIT_PREQUALIFICATIONS_PER_ADDRESS',
  'COMPANION_RATE_LIMIT_PREQUALIFICATIONS',
  'COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_RECIPIENT',
  'COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_TOKEN',
  'COMPANION_HOST',
  'COMPANION_PORT',
  'COMPANION_BACK_OFFICE_HOST',
  'COMPANION_BACK_OFFICE_PORT',
  'COMPANION_BACK_OFFICE_URL',
  'COMPANION_BACK_OFFICE_INSECURE',
  'COMPANION_MIGRATE',
  'COMPANION_WEBHOOK_URL',
  'COMPANION_WEBHOOK_DEADLINE_MS',
  'COMPANION_USER',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;
export const secretNames = [
  'FINANCING_PUBLIC_API_KEY',
  'FINANCING_PRIVATE_API_KEY',
  'FINANCING_PRIVATE_API_KEY_NEXT',
  'ORDER_TICKET_SECRET',
  'ORDER_TICKET_SECRET_PREVIOUS',
  'COMPANION_BACK_OFFICE_TOKEN',
  'COMPANION_BACK_OFFICE_TOKENS',
  'COMPANION_STORE',
  'COMPANION_WEBHOOK_SECRET',
  'COMPANION_WEBHOOK_SECRET_PREVIOUS',
  'NOTIFICATION_AUTHORIZATION',
  'NOTIFICATION_AUTHORIZATION_PREVIOUS',
] as const;
type PlainName = (typeof plainNames)[number];
type SecretName = (typeof secretNames)[number];

const known = new Set<string>([
  ...plainNames,
  ...secretNames,
  ...secretNames.map((name) => `${name}_FILE`),
]);

/** Reads variables and collects their problems. An empty variable counts as not set. */
export class EnvironmentReader {
  readonly problems: { variable: string; message: string }[] = [];
  readonly #variables: Readonly<Record<string, string | undefined>>;
  readonly #readFile: (path: string) => string;

  constructor(
    variables: Readonly<Record<string, string | undefined>>,
    readFile: (path: string) => string,
  ) {
    this.#variables = variables;
    this.#readFile = readFile;
  }

  problem(variable: string, message: string): void {
    this.problems.push({ variable, message });
  }

  #read(name: string): string | undefined {
    const value = this.#variables[name]?.trim();
    return value === '' ? undefined : value;
  }

  text(name: PlainName, accepts?: (text: string) => boolean, otherwise = ''): string | undefined {
    const value = this.#read(name);
    if (value === undefined || accepts === undefined || accepts(value)) return value;
    this.problem(name, otherwise);
    return undefined;
  }

  required(
    name: PlainName,
    accepts: (text: string) => boolean,
    otherwise: string,
  ): string | undefined {
    if (this.#read(name) === undefined) this.problem(name, 'is required');
    return this.text(name, accepts, otherwise);
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

  milliseconds(name: PlainName, fallback: number, least: number, most: number): number {
    return this.#integer(name, fallback, least, most, 'whole milliseconds');
  }

  count(name: PlainName, fallback: number, least: number, most: number): number {
    return this.#integer(name, fallback, least, most, 'a whole number');
  }

  #integer(name: PlainName, fallback: number, least: number, most: number, kind: string): number {
    const text = this.text(
      name,
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most,
      `must be ${kind}, ${least} to ${most}`,
    );
    return text === undefined ? fallback : Number(text);
  }

  /** Reads a required list, separated by commas. */
  list(name: PlainName): string[] {
    const text = this.#read(name);
    if (text === undefined) {
      this.problem(name, 'is required');
      return [];
    }
    return text.split(',').map((entry) => entry.trim());
  }

  listener(
    prefix: 'COMPANION' | 'COMPANION_BACK_OFFICE',
    fallback: { host: string; port: number },
  ): { host: string; port: number } {
    const host =
      this.text(
        `${prefix}_HOST`,
        (text) => /^[\w.-]+$/.test(text) || isIpv6(text),
        'must be a host name or an address, without brackets or a port',
      ) ?? fallback.host;
    const port = this.text(
      `${prefix}_PORT`,
      (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
      'must be a port number, 0 to 65535',
    );
    return { host, port: port === undefined ? fallback.port : Number(port) };
  }

  /** Returns the file that a secret is read from, if there is one. */
  fileOf(name: SecretName): string | undefined {
    return this.#read(`${name}_FILE`);
  }

  /**
   * Reads a secret from its variable or its file.
   * @param options.emptyFile whether an empty file is refused, or means not set yet
   */
  secret(
    name: SecretName,
    options: { emptyFile?: 'refused' | 'not-set' } = {},
  ): string | undefined {
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
      this.problem(`${name}_FILE`, 'points to a file that cannot be read');
      return undefined;
    }
    if (text === '') {
      if (options.emptyFile === 'not-set') return undefined;
      this.problem(`${name}_FILE`, 'points to an empty file');
      return undefined;
    }
    // Decoded bytes would differ from those of the secret's other owner.
    if (/[\0\uFFFD]/.test(text)) {
      this.problem(`${name}_FILE`, 'points to a file that is not UTF-8 text');
      return undefined;
    }
    if (isInQuotationMarks(text)) {
      this.problem(`${name}_FILE`, `points to a text ${QUOTED}`);
      return undefined;
    }
    return text;
  }

  /** Returns whether a secret is configured, even if it cannot be read. */
  isNamed(name: SecretName): boolean {
    return (this.#read(name) ?? this.fileOf(name)) !== undefined;
  }

  /** Requires an address and the secret of its messages together. */
  together(address: PlainName, secret: SecretName): void {
    const hasAddress = this.#read(address) !== undefined;
    if (hasAddress === this.isNamed(secret)) return;
    if (hasAddress) this.problem(secret, `is required with ${address}`);
    else this.problem(address, `is required with ${secret}`);
  }

  /** Reads a text file. @returns undefined when the variable is not set, or has a problem */
  file(name: PlainName): { path: string; text: string } | undefined {
    const path = this.#read(name);
    if (path === undefined) return undefined;
    try {
      return { path, text: this.#readFile(path) };
    } catch {
      this.problem(name, `points to ${path}, which cannot be read`);
      return undefined;
    }
  }

  /** Reads the path of a certificate file, and checks the file: later errors would say less. */
  certificates(name: PlainName): string | undefined {
    const path = this.#read(name);
    if (path === undefined) return undefined;
    try {
      if (!/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(this.#readFile(path))) {
        this.problem(name, 'points to a file without a certificate in PEM');
      }
    } catch {
      this.problem(name, 'points to a file that cannot be read');
    }
    return path;
  }

  requiredSecret(name: SecretName): string | undefined {
    const before = this.problems.length;
    const value = this.secret(name);
    if (value === undefined && this.problems.length === before) {
      this.problem(name, `is required (or ${name}_FILE)`);
    }
    return value;
  }

  unknownVariables(): string[] {
    return Object.keys(this.#variables).filter(
      (name) =>
        /^(?:FINANCING|COMPANION|ORDER_TICKET|NOTIFICATION_AUTHORIZATION)_/.test(name) &&
        !known.has(name),
    );
  }
}
