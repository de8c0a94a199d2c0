import { Secret } from '../secret/secret.ts';
import { dropGroups, pathParts, placeSettings, type SettingsOf } from './settings.ts';
import { isInQuotationMarks, QUOTED } from './values.ts';
import type { ValueOf, VariableTable } from './variable.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ConfigurationProblem {
  variable: string;
  /** The problem, worded to follow the variable's name. Contains no value. */
  message: string;
}

/** All problems of a configuration, by variable, without values. */
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

/** A file of secrets, which a running program reads again when it changes. */
export interface SecretFile<Value> {
  path: string;
  /** @throws {ConfigurationError} */
  read: () => Value;
}

/** Returns the problems of a configuration in one line for the log. @throws any other error */
export function problemsOf(error: unknown): string {
  if (!(error instanceof ConfigurationError)) throw error;
  return error.problems.map(({ variable, message }) => `${variable} ${message}`).join('; ');
}

/**
 * Reads the variables of a table and collects their problems. An empty variable counts as unset.
 */
export class EnvironmentReader<Table extends VariableTable> {
  readonly problems: ConfigurationProblem[] = [];
  readonly #table: Table;
  readonly #variables: Variables;
  readonly #readFile: (path: string) => string;
  readonly #secrets = new Map<string, Secret>();
  #settings: unknown;

  /** @param readFile reads a text file, or throws */
  constructor(table: Table, variables: Variables, readFile: (path: string) => string) {
    this.#table = table;
    this.#variables = variables;
    this.#readFile = readFile;
  }

  problem(variable: string, message: string): void {
    this.problems.push({ variable, message });
  }

  /** @throws {ConfigurationError} if there is any problem */
  refuseProblems(): void {
    if (this.problems.length > 0) throw new ConfigurationError(this.problems);
  }

  /**
   * Returns the value of a variable or its default. Records a missing or invalid value as a
   * problem.
   */
  read<Name extends keyof Table & string>(name: Name): ValueOf<Table[Name]> {
    const { fallback, isRequired, isSecret, type } = this.#entry(name);
    const before = this.problems.length;
    const text = isSecret ? this.#secret(name) : this.#text(name);
    const source = {
      refuse: (message: string) => this.problem(name, message),
      file: this.fileOf(name),
    };
    if (text !== undefined) {
      const value = type.read(text, source);
      if (value !== undefined) return value as ValueOf<Table[Name]>;
      if (this.problems.length === before) this.problem(name, type.rule);
    } else if (isRequired && this.problems.length === before) {
      const file = isSecret ? ` (or ${name}_FILE)` : '';
      this.problem(name, `is required${file}; it ${type.rule}`);
    }
    return (fallback === undefined ? undefined : type.read(fallback, source)) as ValueOf<
      Table[Name]
    >;
  }

  /** Reads all variables that have a place in the configuration, and records their problems. */
  settings(): SettingsOf<Table, undefined> {
    const settings = placeSettings(this.#table, (name) => {
      const value: unknown = this.read(name);
      if (value instanceof Secret) this.#secrets.set(name, value);
      return value;
    });
    this.#requireWholeGroups();
    dropGroups(this.#table, settings);
    this.#settings = settings;
    return this.#settings as SettingsOf<Table, undefined>;
  }

  /** Returns {@link settings} without missing values. @throws {ConfigurationError} if there is any problem */
  complete(): SettingsOf<Table> {
    this.refuseProblems();
    return this.#settings as SettingsOf<Table>;
  }

  /** Returns the secret files, each with a function that reads its content again. */
  filesOf<Value>(
    names: readonly (keyof Table & string)[],
    read: (again: EnvironmentReader<Table>) => Value,
  ): SecretFile<Value>[] {
    const readAgain = () => {
      const again = new EnvironmentReader(this.#table, this.#variables, this.#readFile);
      const value = read(again);
      again.refuseProblems();
      return value;
    };
    return names.flatMap((name) => {
      const path = this.fileOf(name);
      return path === undefined ? [] : [{ path, read: readAgain }];
    });
  }

  /**
   * Validates the secrets in the settings and returns those that come from files. Later values of a file
   * go through the same check.
   * @param check records problems of a value in the reader that it receives
   */
  secretFiles(
    check?: (env: EnvironmentReader<Table>, variable: string, secret: Secret) => void,
  ): (SecretFile<Secret> & { variable: string; secret: Secret })[] {
    return [...this.#secrets].flatMap(([variable, secret]) => {
      check?.(this, variable, secret);
      const files = this.filesOf([variable], (again) => {
        const value: unknown = again.read(variable);
        if (!(value instanceof Secret)) return secret;
        check?.(again, variable, value);
        return value;
      });
      return files.map((file) => ({ ...file, variable, secret }));
    });
  }

  /** Returns whether a variable is set, even if it cannot be read. */
  isNamed(name: keyof Table & string): boolean {
    return (this.#text(name) ?? this.fileOf(name)) !== undefined;
  }

  /** Returns the file that a secret is read from, if any. */
  fileOf(name: keyof Table & string): string | undefined {
    return this.#entry(name).isSecret ? this.#text(`${name}_FILE`) : undefined;
  }

  /**
   * Reads the text file that a variable names. @returns undefined if the variable is not set or has
   * a problem
   */
  file(name: keyof Table & string): { path: string; text: string } | undefined {
    const path = this.#text(name);
    if (path === undefined) return undefined;
    try {
      return { path, text: this.#readFile(path) };
    } catch {
      this.problem(name, `points to ${path}, which cannot be read`);
      return undefined;
    }
  }

  /** Requires all values that a group needs if one of them is set, such as a URL and its secret. */
  #requireWholeGroups(): void {
    const named = new Map<string, string>();
    const needs = Object.entries(this.#table)
      .map(([name, { as }]) => ({ name, ...pathParts(as) }))
      .filter(({ isOptional }) => isOptional);
    for (const { group = '', name } of needs) if (this.isNamed(name)) named.set(group, name);
    for (const { group = '', name } of needs) {
      const present = named.get(group);
      if (present !== undefined && !this.isNamed(name))
        this.problem(name, `is required with ${present}`);
    }
  }

  /** Returns unknown names with a prefix of the program's variables: they are probably typos. */
  unknownVariables(prefixes: readonly string[]): string[] {
    const isKnown = (name: string) =>
      Object.hasOwn(this.#table, name) ||
      (name.endsWith('_FILE') && this.#table[name.slice(0, -'_FILE'.length)]?.isSecret === true);
    return Object.keys(this.#variables).filter(
      (name) => prefixes.some((prefix) => name.startsWith(prefix)) && !isKnown(name),
    );
  }

  #entry(name: string) {
    const entry = this.#table[name];
    if (entry === undefined) throw new TypeError(`${name} is not a variable of this program.`);
    return entry;
  }

  #text(name: string): string | undefined {
    const value = this.#variables[name]?.trim();
    return value === '' ? undefined : value;
  }

  #secret(name: string): string | undefined {
    const value = this.#text(name);
    const path = this.#text(`${name}_FILE`);
    if (path === undefined) {
      if (value === undefined || !isInQuotationMarks(value)) return value;
      this.problem(name, `is ${QUOTED}`);
      return undefined;
    }
    if (value !== undefined) {
      this.problem(name, `and ${name}_FILE are both set: keep one of them`);
      return undefined;
    }
    const wrong = this.#secretFile(path);
    if ('text' in wrong) {
      if (wrong.text !== '') return wrong.text;
      if (this.#entry(name).mayFileBeEmpty) return undefined;
    }
    this.problem(
      `${name}_FILE`,
      `points to ${'problem' in wrong ? wrong.problem : 'an empty file'}`,
    );
    return undefined;
  }

  #secretFile(path: string): { text: string } | { problem: string } {
    let text: string;
    try {
      text = this.#readFile(path).trim();
    } catch {
      return { problem: 'a file that cannot be read' };
    }
    // The decoded bytes would differ from those that the other party uses as the secret.
    if (/[\0\uFFFD]/.test(text)) return { problem: 'a file that is not UTF-8 text' };
    return isInQuotationMarks(text) ? { problem: `a text ${QUOTED}` } : { text };
  }
}
