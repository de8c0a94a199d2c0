/*
 * Both programs share their command-line conventions: a word has the same meaning, and a mistake
 * gets the same message.
 */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { root } from './tree.ts';

interface Program {
  name: string;
  main: string;
  /** Names in its messages for the running program, its address and its token. */
  peer: string;
  url: string;
  token: string;
  address: string;
  insecure: string;
}

const companion: Program = {
  name: 'financing-companion',
  main: 'packages/server/dist/node/main.js',
  peer: 'the companion',
  url: 'COMPANION_BACK_OFFICE_URL',
  token: 'COMPANION_BACK_OFFICE_TOKEN',
  address: 'its back-office address',
  insecure: 'COMPANION_BACK_OFFICE_INSECURE',
};
const reconciliation: Program = {
  name: 'financing-reconcile',
  main: 'packages/reconciliation/dist/cli/main.js',
  peer: 'reconciliation',
  url: 'RECONCILIATION_URL',
  token: 'RECONCILIATION_TOKEN',
  address: 'its address',
  insecure: 'RECONCILIATION_INSECURE',
};

interface Ended {
  code: number;
  out: string;
  err: string;
}

const { NODE_COMPILE_CACHE, PATH } = process.env;
const bare = { env: { NODE_COMPILE_CACHE, PATH } };

/** Starts a process that runs one command line of a program after the other. */
function startRunner({ main }: Program) {
  const script = join(root, 'scripts/run-commands.ts');
  const child = spawn(process.execPath, ['--no-warnings', script, join(root, main)], {
    ...bare,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  return {
    end: () => child.stdin.end(),
    run: (words: readonly string[], env: Record<string, string>): Promise<Ended> => {
      const next = last.then(async () => {
        child.stdin.write(`${JSON.stringify({ words, env })}\n`);
        const { value } = await answers.next();
        return JSON.parse(String(value)) as Ended;
      });
      last = next;
      return next;
    },
  };
}
const runners = new Map([companion, reconciliation].map((one) => [one, startRunner(one)]));
afterAll(() => {
  for (const runner of runners.values()) runner.end();
});

async function run(
  program: Program,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const runner = runners.get(program);
  if (!runner) throw new Error(`No process runs ${program.name}.`);
  return runner.run(words, env);
}

/** Runs a command in a process of its own. */
function start(
  program: Program,
  words: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<Ended> {
  const all = [...nodeOptions, join(root, program.main), ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, all, bare, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

/** Runs `--version` on a Node.js that reports a different version and has no `node:sqlite`. */
function startOn(version: string, program: Program): Promise<Ended> {
  const pretend = `import { registerHooks } from 'node:module';
    const value = { ...process.versions, node: '${version}' };
    Object.defineProperty(process, 'versions', { value });
    const resolve = (name, context, next) => next(name === 'node:sqlite' ? 'node:none' : name, context);
    registerHooks({ resolve });`;
  const module = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return start(program, ['--version'], ['--import', module]);
}

/** Returns a text with the program's own names replaced by placeholders. */
function neutral(program: Program, text: string): string {
  const names: [string, string][] = [
    [program.name, 'PROGRAM'],
    [program.url, 'URL'],
    [program.token, 'TOKEN'],
    [program.insecure, 'INSECURE'],
    [program.address, 'ITS ADDRESS'],
    [program.peer, 'PEER'],
  ];
  return names.reduce(
    (rest, [name, neutralName]) =>
      rest.replaceAll(new RegExp(name, name === program.peer ? 'gi' : 'g'), neutralName),
    text,
  );
}

/** Returns the entries of a section of a help page, with their wrapped lines joined. */
function entriesOf(help: string, section: string): { term: string; text: string }[] {
  const [, after = ''] = help.split(`\n${section}:\n`);
  const entries: { term: string; text: string }[] = [];
  for (const line of (after.split('\n\n')[0] ?? '').split('\n')) {
    const [, term, text = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    const last = entries.at(-1);
    if (term !== undefined) entries.push({ term, text });
    else if (last) last.text = `${last.text} ${line.trim()}`.trim();
  }
  return entries;
}

interface Page {
  words: string[];
  help: string;
}

/** Reads the help pages of a program and of all its commands. */
async function pagesOf(program: Program, words: string[] = []): Promise<Page[]> {
  const { out: help } = await run(program, [...words, '--help']);
  const names = entriesOf(help, 'Commands').map(({ term }) => term.split(' ')[0] ?? '');
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => pagesOf(program, [...words, name])),
  );
  return [{ words, help }, ...below.flat()];
}

/** Returns the options of help pages by flag: the placeholder, and the meaning without details. */
function meaningsOf(pages: readonly Page[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { term, text } of pages.flatMap(({ help }) => entriesOf(help, 'Options'))) {
    const [, flag = '', placeholder = ''] = /(--[a-z-]+)(?: (<.+>))?$/.exec(term) ?? [];
    const [meaning = ''] = text.replace(/ \((?:default|choices): .*$/, '').split(/[:;] /);
    found.set(flag, (found.get(flag) ?? new Set()).add(`${placeholder} ${meaning}`.trim()));
  }
  return found;
}

let pages: { companion: Page[]; reconciliation: Page[] };
beforeAll(async () => {
  pages = {
    companion: await pagesOf(companion),
    reconciliation: await pagesOf(reconciliation),
  };
});

test.each([companion, reconciliation])(
  'a process of $name has the output and exit code of its command line',
  async (program) => {
    for (const words of [['--help'], ['sevre']]) {
      expect(await start(program, words)).toEqual(await run(program, words));
    }
  },
);

test.each([companion, reconciliation])(
  '$name exits with 1 and one line on an older Node.js, because npm only warns',
  async (program) => {
    const manifest = join(root, program.main.replace(/dist.*/, 'package.json'));
    const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { engines: { node: string } };
    const oldestNode = engines.node.replace('>=', '');
    const [major = 0, minor = 0] = oldestNode.split('.').map(Number);
    for (const version of [`${major - 2}.20.2`, `${major}.${minor - 1}.0`]) {
      expect(await startOn(version, program)).toEqual({
        code: 1,
        out: '',
        err: `This program needs Node.js ${oldestNode} or later; this is ${version}.\n`,
      });
    }
    expect((await startOn(`${oldestNode}.0`, program)).err).not.toContain('needs Node.js');
  },
);

describe('help pages', () => {
  it('exist for all commands', () => {
    expect(pages.companion.length).toBeGreaterThan(20);
    expect(pages.reconciliation.length).toBeGreaterThan(25);
  });

  it('give a shared flag the same type and meaning', () => {
    const own = meaningsOf(pages.companion);
    const other = meaningsOf(pages.reconciliation);
    const both = [...own.keys()].filter((flag) => other.has(flag)).sort();
    expect(both).toEqual(
      expect.arrayContaining([
        '--by',
        '--currency',
        '--from',
        '--json',
        '--key',
        '--state',
        '--to',
      ]),
    );
    const meanings = new Map(
      both.map((flag) => [flag, new Set([...(own.get(flag) ?? []), ...(other.get(flag) ?? [])])]),
    );
    // In `fundings records`, `--version` selects the version of the service's operation; without a
    // command, it prints the program's.
    meanings.delete('--version');
    // Each program names its own variable.
    const neutralOf = (text: string) => text.replace(/[A-Z]+_USER/, 'USER');
    const several = [...meanings].filter(
      ([, texts]) => new Set([...texts].map(neutralOf)).size > 1,
    );
    expect(several).toEqual([]);
  });

  it('explain each option with a text of its own', () => {
    const all = [...pages.companion, ...pages.reconciliation];
    for (const { words, help } of all) {
      const texts = entriesOf(help, 'Options').map(({ term, text }) => [term, text]);
      expect([words, texts.filter(([, text]) => text === '')]).toEqual([words, []]);
      const distinct = new Set(texts.map(([, text]) => text));
      expect([words, distinct.size]).toEqual([words, texts.length]);
    }
  });

  it('have the same sections', () => {
    const headsOf = ([page]: Page[]) =>
      Array.from(page?.help.matchAll(/^([A-Z][a-z]+(?: codes)?):/gm) ?? [], ([, head]) => head);
    const heads = ['Usage', 'Options', 'Commands', 'Examples', 'Exit codes'];
    expect([headsOf(pages.companion), headsOf(pages.reconciliation)]).toEqual([heads, heads]);
  });

  it('state the same meaning for each shared exit code', () => {
    const codesOf = ([page]: Page[]) => {
      const [, list = ''] = page?.help.split('\nExit codes:\n') ?? [];
      return new Map(
        Array.from(list.matchAll(/^ {2}(\d+) +(.+)$/gm), ([, code = '', text = '']) => [
          code,
          text,
        ]),
      );
    };
    const own = codesOf(pages.companion);
    const other = codesOf(pages.reconciliation);
    expect([...own.keys()]).toEqual(['0', '1', '69', '70', '75', '77', '78']);
    expect([...other.keys()]).toEqual(['0', '1', '2', '3', '69', '70', '75', '77', '78']);
    for (const [code, meaning] of own) expect(other.get(code)).toBe(meaning);
  });
});

/** Stub servers that replace the running program, by response. */
const answers: Record<string, RequestListener> = {
  page: (_, response) => response.setHeader('content-type', 'text/html').end('<html>'),
  redirect: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  half: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":');
    response.socket?.end();
  },
  cut: (request) => request.socket.destroy(),
  unauthenticated: problem(401, 'token-invalid'),
  forbidden: problem(403, 'token-not-permitted'),
  missing: problem(404, 'charge-not-found'),
  overloaded: problem(503, 'overloaded'),
  internal: problem(500, 'internal'),
  store: problem(503, 'store-unavailable'),
  late: (_, response) => response.writeHead(504).end('timeout'),
};

function problem(status: number, code: string): RequestListener {
  const body = { type: `urn:${code}`, title: `Title of ${code}`, status, code };
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ ...body, requestId: 'req_1', retrySafe: true }));
  };
}

const urls: Record<string, string> = {};
const servers = Object.entries(answers).map(([name, answer]) => {
  const server = createServer(answer);
  return { name, server };
});
/** Nothing listens at its port, which was free a moment ago. */
const nobody = createServer();
servers.push({ name: 'nobody', server: nobody });
beforeAll(async () => {
  for (const { name, server } of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  await new Promise((resolve) => nobody.close(resolve));
});
afterAll(() => {
  for (const { server } of servers) if (server.listening) server.close();
});

const TOKEN = 'token-0123456789';
const read = [
  ['charges', 'get', 'ch_1'],
  ['cases', 'show', 'ch_1'],
];
const write = [
  ['charges', 'void', 'ch_1', '--key', 'key-1'],
  ['cases', 'reopen', 'ch_1', 'why', '--by', 'Ines', '--key', 'key-1'],
];
const both = (...words: string[]) => [words, words];
interface Mistake {
  words: string[][];
  /** The stub server at the address. */
  at?: string;
  url?: string;
  token?: boolean;
  code: number;
  says: RegExp;
}

/**
 * The same mistake in each program: the arguments, the server that it calls, and the expected exit
 * code and message.
 */
const mistakes: Record<string, Mistake> = {
  'an unknown command': {
    words: both('sevre'),
    code: 1,
    says: /unknown command .*\n\(Did you mean serve\?\)/,
  },
  'an unknown option': { words: both('doctor', '--jsn'), code: 1, says: /unknown option '--jsn'/ },
  'an argument too many': { words: both('doctor', 'now'), code: 1, says: /too many arguments/ },
  'an argument too few': {
    words: [
      ['charges', 'get'],
      ['cases', 'show'],
    ],
    code: 1,
    says: /missing required argument/,
  },
  'an option without its value': {
    words: write.map((words) => words.slice(0, -1)),
    code: 1,
    says: /argument missing/,
  },
  'a value that is not a choice': {
    words: [
      ['webhooks', 'list', '--state', 'x'],
      ['cases', 'list', '--state', 'x'],
    ],
    code: 1,
    says: /'x' is invalid. Allowed choices are/,
  },
  'an Idempotency-Key with a space': {
    words: write.map((words) => [...words.slice(0, -1), 'a b']),
    code: 1,
    says: /It must be 1 to 255 printable ASCII characters/,
  },
  'an id that changes the address': {
    words: [
      ['charges', 'get', '..'],
      ['cases', 'show', '..'],
    ],
    at: 'page',
    code: 1,
    says: /^The ids "", "." and ".." are not valid/,
  },
  'an incomplete configuration': {
    words: both('serve'),
    code: 78,
    says: /^The configuration is not complete:\n {2}\w+_ENVIRONMENT is required; it must be one of uat, sandbox, production/,
  },
  'an incomplete configuration of doctor': { words: both('doctor'), code: 78, says: /^$/ },
  'a token in plain HTTP': {
    words: read,
    url: 'http://10.0.0.7:4001',
    token: true,
    code: 78,
    says: /URL is plain http to another machine.*set INSECURE=true/,
  },
  'an address that is none': {
    words: read,
    url: 'somewhere',
    code: 78,
    says: /URL must be an http/,
  },
  'no server': {
    words: read,
    at: 'nobody',
    code: 69,
    says: /^PEER cannot be reached \(ECONNREFUSED\)/,
  },
  'another server': { words: read, at: 'page', code: 1, says: /not like PEER of this version/ },
  'a redirect': { words: read, at: 'redirect', code: 1, says: /answered 302/ },
  'half an answer': {
    words: read,
    at: 'half',
    code: 69,
    says: /^PEER did not answer completely \(\w+\)/,
  },
  'a lost answer to a write': {
    words: write,
    at: 'cut',
    code: 75,
    says: /^PEER did not answer.*run the same command with --key key-1/m,
  },
  'no token': { words: read, at: 'unauthenticated', code: 77, says: /^Set TOKEN to a token/m },
  'a wrong token': {
    words: read,
    at: 'unauthenticated',
    token: true,
    code: 77,
    says: /^TOKEN does not match/m,
  },
  'a token without the scope': { words: read, at: 'forbidden', code: 77, says: /req_1/ },
  'an unknown id': { words: read, at: 'missing', code: 1, says: /^Title of charge-not-found/ },
  'an overloaded server': { words: read, at: 'overloaded', code: 69, says: /\(overloaded\)/ },
  'a crash after a write': { words: write, at: 'internal', code: 75, says: /--key key-1/ },
  'a store that fails at a write': { words: write, at: 'store', code: 75, says: /--key key-1/ },
  'a proxy that gives up on a write': { words: write, at: 'late', code: 75, says: /--key key-1/ },
  'another server for a write': { words: write, at: 'page', code: 75, says: /--key key-1/ },
};

describe.each(Object.entries(mistakes))('%s', (_, mistake) => {
  test('has the same exit code and wording', async () => {
    const { at, code, says, token, words } = mistake;
    const ended = await Promise.all(
      [companion, reconciliation].map(async (program, index) => {
        const env: Record<string, string> = { USER: 'ines' };
        const url = mistake.url ?? (at === undefined ? undefined : urls[at]);
        if (url !== undefined) env[program.url] = url;
        if (token) env[program.token] = TOKEN;
        const own = words[index] ?? [];
        const { code: exitCode, err } = await run(program, own, env);
        // Parts of a command line that each program defines for itself.
        const commands = own.filter((word) => /^[a-z]+$/.test(word)).slice(0, 2);
        const text = neutral(program, err)
          .replaceAll(url ?? '\0', 'ADDRESS')
          .replace(commands.join(' '), 'COMMAND')
          .replace(/(Allowed choices are ).*/, '$1…')
          .replace(/'[a-z-]+-id'/, "'ID'")
          .replace(/("PROGRAM )\w+( --help")/, '$1COMMAND$2');
        return { exitCode, text };
      }),
    );
    const [own, other] = ended;
    expect(own?.text).not.toContain(TOKEN);
    expect(own?.exitCode).toBe(code);
    expect(own?.text).toMatch(says);
    expect(other?.exitCode).toBe(code);
    // Variables that each program has for itself follow the first one.
    const isConfiguration = own?.text.startsWith('The configuration is not complete:\n');
    const firstOf = (text = '') =>
      isConfiguration
        ? text
            .split('\n')
            .slice(0, 2)
            .join('\n')
            .replace(/^ {2}\w+_ENVIRONMENT/m, '  ENVIRONMENT')
        : text;
    expect(firstOf(other?.text)).toBe(firstOf(own?.text));
  });
});
