import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import { root } from './tree.ts';

/** A service of the compose files. */
export interface ComposeService {
  image: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  privileged?: boolean;
  environment?: Record<string, string>;
  secrets?: string[];
  networks?: string[];
  ports?: string[];
  mem_limit?: string;
  cpus?: number;
  pids_limit?: number;
  ulimits?: Record<string, number>;
  build?: { target: string; args: Record<string, string> };
}

/** What the rules read of the compose files. */
export interface Composition {
  services: Record<string, ComposeService>;
  networks?: Record<string, { internal?: boolean }>;
  secrets?: Record<string, { file: string }>;
}

const schema = CORE_SCHEMA.withTags(mergeTag);

/** Reads a compose file of `deploy`, with its variables unreplaced. */
export function readComposition(file: string): Composition {
  return readCompositionText(readFileSync(join(root, 'deploy', file), 'utf8'));
}

/** Reads the text of a compose file, with its variables unreplaced. */
export function readCompositionText(text: string): Composition {
  return load(text, { schema }) as Composition;
}

/**
 * Replaces `${NAME:-default}` and `${NAME:?message}` as Docker Compose does.
 * @throws {Error} when a required variable has no value
 */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_, name: string, kind: string, otherwise: string) => {
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (kind === '?') throw new Error(`${name} ${otherwise}`);
      return otherwise;
    },
  );
}

/** Reads the variables of a file such as `.env`. */
export function readEnvFile(file: string): Record<string, string> {
  const lines = readFileSync(join(root, file), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
}

/** A manifest of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: unknown;
}

const chart = join(root, 'deploy/helm/financing-checkout');

/**
 * Returns the values of the chart, with digests and a database, which it has none of.
 * @param text of the file, in which lines may have been changed
 */
export function readValues(
  text = readFileSync(join(chart, 'values.yaml'), 'utf8'),
): Record<string, Record<string, unknown>> {
  const values = load(text) as Record<string, Record<string, unknown>>;
  for (const name of ['companion', 'reconciliation']) {
    values[name] = { ...values[name], digest: `sha256:${'0'.repeat(64)}` };
  }
  values.egress = { ...values.egress, database: [{ ipBlock: { cidr: '10.3.0.7/32' } }] };
  return values;
}

/**
 * Returns a value as a template of Helm prints it. Helm reads each number of YAML as a double, which Go prints by `%v`: with
 * an exponent from a million on, such as `2.592e+06`.
 */
function print(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * Renders the chart as `helm template` does, with the few instructions that it uses: `.Values`, `.Release.Name`,
 * `toJson`, `quote` with `ternary` for a number, `required`, `fail` if a value is empty, and `range` over a map or a list.
 * @throws {Error} for any other instruction, and for a missing value
 */
export function renderChart(values: unknown): Manifest[] {
  return globSync('templates/*.yaml', { cwd: chart }).flatMap((file) => {
    const template = readFileSync(join(chart, file), 'utf8');
    const ranged = template.replaceAll(
      /^\{\{- range \$name, \$value := (\S+) \}\}\n([^]*?)^\{\{- end \}\}\n/gm,
      (_, path: string, lines: string) =>
        Object.entries(valueOf(path, values) as Record<string, unknown>)
          .map(([name, value]) =>
            lines.replaceAll('{{ $name }}', name).replaceAll(
              '{{ ternary (toJson $value) $value (kindIs "float64" $value) | quote }}',
              // The JSON of Go has an exponent from 1e21 on, as that of JavaScript.
              JSON.stringify(typeof value === 'number' ? JSON.stringify(value) : print(value)),
            ),
          )
          .join(''),
    );
    const listed = ranged
      .replaceAll(
        /^\{\{- if not (\S+) \}\}\n\{\{- fail "([^"]+)" \}\}\n\{\{- end \}\}\n/gm,
        (_, path: string, message: string) => {
          if ((valueOf(path, values) as unknown[]).length === 0) throw new Error(message);
          return '';
        },
      )
      .replaceAll(
        /^\{\{- range \$(\w+) := (\S+) \}\}\n([^]*?)^\{\{- end \}\}\n/gm,
        (_, name: string, path: string, lines: string) =>
          (valueOf(path, values) as unknown[])
            .map((one) => lines.replaceAll(`{{ $${name} | toJson }}`, () => JSON.stringify(one)))
            .join(''),
      );
    const text = listed.replaceAll(/\{\{ (.+?) \}\}/g, (_, expression: string) => {
      const [, json] = /^(\S+) \| toJson$/.exec(expression) ?? [];
      if (json !== undefined) return JSON.stringify(valueOf(json, values));
      const [, message, path = expression] = /^required "([^"]+)" (\S+)$/.exec(expression) ?? [];
      const value = print(valueOf(path, values));
      if (value === '') throw new Error(message ?? `${path} is empty`);
      return value;
    });
    return loadAll(text) as Manifest[];
  });
}

function valueOf(path: string, values: unknown): unknown {
  if (path === '.Release.Name') return 'shop';
  let value = values;
  for (const name of path.replace(/^\$?\.Values\./, '').split('.')) {
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  if (value === undefined) throw new Error(`${path} is not a value of the chart`);
  return value;
}
