/* The pages of the documentation: their links, the generated ones, and the blocks of code. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { problemCodes } from '@financing-checkout/contract/storefront';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { pages } from './documents.ts';
import { blocksIn, type Page } from './markdown.ts';
import { type Api, curlOf, exampleFor, readApis } from './reference/operations.ts';
import { Links, root } from './resolve.ts';
import { sections } from './sections.ts';

const jsonSchema = z.record(z.string(), z.unknown());

let all: Page[];
let apis: Api[];
beforeAll(async () => {
  [all, apis] = await Promise.all([pages(), readApis()]);
});

describe('links', () => {
  it('lead to a page, an anchor or a file', () => {
    const links = new Links(all);
    const dead = all.flatMap((page) =>
      links.deadIn(page).map((target) => `${page.file ?? page.id}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('control: a link to a missing page, anchor or file is found', () => {
    const planted = [
      '/nowhere/',
      '/errors/#nowhere',
      '#nowhere',
      'nowhere.md',
      'README.md#nowhere',
    ];
    const markdown = `# Planted\n\n${planted.map((target) => `[x](${target})`).join('\n')}\n`;
    expect(new Links(all).deadIn({ id: 'planted', markdown })).toEqual(planted);
  });
});

describe('the site', () => {
  it('has a page for each entry of the sidebar, and each page once', () => {
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const entries = sections.flatMap(({ entries: own }) => own.map(({ id }) => id));
    expect(entries.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('includes every document of the repository', () => {
    const files = globSync(
      [
        '*.md',
        'docs/**/*.md',
        'packages/*/README.md',
        'packages/*/docs/*.md',
        'examples/*/README.md',
      ],
      { cwd: root },
    );
    expect(files.length).toBeGreaterThan(50);
    const included = new Set(all.map(({ file }) => file));
    expect(files.filter((file) => !included.has(file.replaceAll('\\', '/')))).toEqual([]);
  });

  it('has a page for each problem code', () => {
    const ids = new Set(all.map(({ id }) => id));
    expect(problemCodes.filter((code) => !ids.has(`errors/${code}`))).toEqual([]);
  });
});

describe('examples of operations', () => {
  it('fit the schemas of the request and of the answer', () => {
    let count = 0;
    for (const api of apis) {
      for (const operation of api.operations) {
        const { answer, requestBody, status } = exampleFor(api, operation);
        const answers = operation.responses[status]?.content ?? {};
        const parts = [
          [requestBody, operation.requestBody?.content ?? {}],
          [answer, answers],
        ] as const;
        for (const [example, content] of parts) {
          if (example?.value === undefined) continue;
          const schema = content[example.type]?.schema ?? {};
          const { $ref } = schema;
          const own =
            $ref === undefined ? schema : (api.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
          const { error } = z.fromJSONSchema(jsonSchema.parse(own)).safeParse(example.value);
          expect([operation.operationId, error?.issues ?? []]).toEqual([operation.operationId, []]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});

describe('curl examples of operations', () => {
  const examples = () =>
    apis.flatMap((api) =>
      api.operations.map((operation) => ({
        operation,
        curl: curlOf(operation, exampleFor(api, operation)),
      })),
    );

  it('have the method, the path and the headers of the OpenAPI document', () => {
    for (const { curl, operation } of examples()) {
      const { method, operationId, parameters, path, requestBody, security } = operation;
      const [, sent = 'GET', url = ''] = /^curl (?:--request (\w+) )?'([^']+)'/.exec(curl) ?? [];
      const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
      expect([operationId, sent, new URL(url).pathname]).toEqual([
        operationId,
        method,
        expect.stringMatching(new RegExp(`^${pattern}$`)),
      ]);
      const headers = Array.from(curl.matchAll(/--header '([^:]+): /g), ([, name]) => name);
      expect([operationId, ...headers]).toEqual([
        operationId,
        ...security.slice(0, 1).map((one) => ('session' in one ? 'Cookie' : 'Authorization')),
        ...parameters.flatMap((one) => (one.in === 'header' && one.required ? [one.name] : [])),
        ...(requestBody === undefined ? [] : ['Content-Type']),
      ]);
    }
  });

  it('parse as shell commands', () => {
    const input = examples()
      .map(({ curl }) => curl)
      .join('\n');
    expect(spawnSync('bash', ['-n'], { input, encoding: 'utf8' }).stderr).toBe('');
  });
});

/** Blocks of a language in the documents, with their file. */
const blocks = (language: string) =>
  all
    .filter(({ file }) => file !== undefined)
    .flatMap(({ file, markdown }) =>
      blocksIn(markdown)
        .filter((block) => block.language === language)
        .map(({ code }) => ({ file, code })),
    );

test('each block of JSON parses', () => {
  const found = blocks('json');
  expect(found.length).toBeGreaterThan(4);
  for (const { code, file } of found) expect(() => void JSON.parse(code), file).not.toThrow();
});

test('each block of shell commands parses', () => {
  const found = blocks('sh');
  expect(found.length).toBeGreaterThan(40);
  // One shell reads them all, each as a function. A placeholder such as <order> would be a redirection.
  const functions = found.map(
    ({ code, file }) => `f() { # ${file}\n${code.replaceAll(/<[\w-]+>/g, 'placeholder')}\n:\n}\n`,
  );
  const { stderr } = spawnSync('bash', ['-n'], { input: functions.join(''), encoding: 'utf8' });
  expect(stderr).toBe('');
});

test.each([
  ['finance/guide', 0],
  ['finance/closing', 10],
])('the German %s has the headings, commands, checks and reasons of the English one', (id, few) => {
  const text = (of: string) => all.find((page) => page.id === of)?.markdown ?? '';
  const [english, german] = [text(id), text(`de/${id}`)];
  const headings = (markdown: string) => markdown.match(/^#+(?= )/gm) ?? [];
  expect(headings(english).length).toBeGreaterThan(5);
  expect(headings(german)).toEqual(headings(english));
  expect(blocksIn(english).length).toBeGreaterThan(4);
  expect(blocksIn(german)).toEqual(blocksIn(english));
  const rows = (markdown: string) => markdown.match(/^ *\| `[^`]+`/gm) ?? [];
  expect(rows(english).length).toBeGreaterThanOrEqual(few);
  expect(rows(german)).toEqual(rows(english));
  const codes = (markdown: string) => new Set(markdown.match(/`[^`\n]+`/g));
  expect([...codes(german)].toSorted()).toEqual([...codes(english)].toSorted());
});
