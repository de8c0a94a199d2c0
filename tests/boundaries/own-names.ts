/* Finds commands and references with which a reader would get a package of ours from a registry. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedNames } from '../../scripts/published-names.ts';
import { root } from './tree.ts';

const scope = '@financing-checkout';

interface Manifest {
  name: string;
  bin?: Record<string, string>;
}

/** Returns the files of the repository that have this name. */
export const filesNamed = (name: string): string[] =>
  globSync(`**/${name}`, {
    cwd: root,
    exclude: ['**/node_modules', '**/.*', 'release', 'site/dist'],
  });

const own = new Set(
  filesNamed('package.json').flatMap((file) => {
    const { name, bin } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
    return [name, ...Object.keys(bin ?? {})];
  }),
);

/** Names of our packages and commands, as a registry has them. */
export const ownNames: readonly string[] = [...own];

/** Returns whether a name of a registry is one of ours, or looks like one. */
export function isOurs(name: string): boolean {
  return (
    own.has(name) ||
    name === scope ||
    name.startsWith(`${scope}/`) ||
    /^(?:create-)?financing-checkout/.test(name)
  );
}

const runners = new Set(['npx', 'pnpx', 'pnx', 'bunx']);
/** Commands of package managers that run a package of the registry. */
const running = new Set(['exec', 'x', 'dlx']);
/** Commands of package managers that add packages; `init` and `create` run one. */
const adding = new Set(['install', 'i', 'in', 'add', 'update', 'up', 'link', 'init', 'create']);
/** Options whose value is no package that is added. */
const otherValues = new Set([
  '--filter',
  '-F',
  '--workspace',
  '-w',
  '--prefix',
  '-C',
  '--dir',
  '--cwd',
]);
const command = /(?<![\w./@-])(npx|pnpx|pnx|bunx|npm|pnpm|pn|yarn|bun|deno)[ \t]+([^\n`;&|]+)/g;

/** Returns the names of ours that commands and references of a text would get from a registry. */
export function namesFetchedBy(text: string): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, ' ');
  const found = [
    ...Array.from(lines.matchAll(command), ([, program = '', rest = '']) =>
      namesOfCommand(program, rest.split(/\s+/)),
    ).flat(),
    ...Array.from(lines.matchAll(/\bnpm:((?:@[\w-]+\/)?[\w.-]+)/g), ([, name = '']) => name),
    ...Array.from(
      lines.matchAll(/https?:\/\/[^\s'"`)]*?(@financing-checkout\/[\w-]+)/g),
      ([, name = '']) => name,
    ),
    ...Array.from(
      lines.matchAll(
        /"(@financing-checkout\/[\w-]+)": "(?!file:|link:|workspace:|\.)[^"]*\d[^"]*"/g,
      ),
      ([, name = '']) => name,
    ),
    ...Array.from(
      lines.matchAll(
        /\binstall(?:s|ed|ing)?\s+(?:[a-z]+\s+){0,3}[`'"]?(@financing-checkout\/[\w-]+)/gi,
      ),
      ([, name = '']) => name,
    ),
  ];
  return [...new Set(found)].filter((name) => isOurs(name) && !publishedNames.includes(name));
}

function namesOfCommand(program: string, words: readonly string[]): string[] {
  const given = words.map((word) => word.replace(/^["'(]+|["'),.:]+$/g, '')).filter(Boolean);
  const positional: string[] = [];
  const packages: string[] = [];
  let isLocal = false;
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? '';
    const [option, value] = word.split('=', 2);
    if (word === '--no-install' || word === '--no') isLocal = true;
    else if (option === '--package' || option === '-p') packages.push(value ?? given[++at] ?? '');
    else if (otherValues.has(word)) at++;
    else if (!word.startsWith('-')) positional.push(word);
  }
  if (runners.has(program)) {
    return isLocal ? [] : [...packages, ...positional.slice(0, 1)].map(nameOf);
  }
  if (positional[0] === 'global') positional.shift();
  const [verb = '', ...rest] = positional;
  if (running.has(verb)) {
    // `pnpm exec` and `bun exec` run what is installed.
    if (isLocal || (verb === 'exec' && program !== 'npm')) return [];
    return [...packages, ...rest.slice(0, 1)].map(nameOf);
  }
  return adding.has(verb) ? rest.map(nameOf) : [];
}

/** Returns the name that a registry is asked for; empty: a path. */
function nameOf(word: string): string {
  const spec = word.replace(/^.*@npm:|^npm:/, '');
  if (/^[./~$]|^file:|\.tgz$/.test(spec)) return '';
  return spec.replace(/(?!^)@.*$/, '');
}
