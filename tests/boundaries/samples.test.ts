/* Runs the published samples that receive a result with an approval and with results that must not pay. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort from 'get-port';
import { createTicketVerifier } from '../../packages/ticket/dist/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProgram, untilReady, type Program } from '../../scripts/processes.ts';
import { type Result, approval, isPaidAfter, refusedResults } from '../integrations/results.ts';
import { blocksOf } from './blocks.ts';
import { root } from './tree.ts';

let folder: string;
beforeAll(() => {
  mkdirSync(join(root, '.data/boundaries'), { recursive: true });
  folder = mkdtempSync(join(root, '.data/boundaries/samples-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An example in a document that receives a result. */
interface DocumentSample {
  file: string;
  /** Text that only this example of the document contains. */
  has: string;
  /** Declarations of the reader's own code. They use `result` and the order `stored`, and call `pays`. */
  before: string;
  /** A call of a function of the example. */
  after?: string;
}

const ticketSecret = 'a-ticket-secret-of-at-least-32-bytes';
const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
const shopOrder = `const findOrder = (id) => (id === stored.merchantOrderId ? stored : undefined);\n`;

const documentSamples: DocumentSample[] = [
  {
    file: 'README.md',
    has: '.verify(rawBody, headers)',
    before:
      `${shopOrder}const markPaid = () => pays();\n` +
      'const rawBody = JSON.stringify({ data: result });\nconst sentAt = new Date();\n' +
      "const signature = new Webhook(process.env.COMPANION_WEBHOOK_SECRET).sign('msg_1', sentAt, rawBody);\n" +
      "const headers = { 'webhook-id': 'msg_1', 'webhook-signature': signature,\n" +
      "  'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)) };\n",
  },
  {
    file: 'packages/contract/README.md',
    has: 'webhookSchema.parse(message)',
    before:
      `${shopOrder}const ship = () => pays();\n` +
      "const message = { type: 'checkout.updated', timestamp: result.updatedAt, data: result };\n",
  },
  {
    file: 'packages/ticket/README.md',
    has: 'isPaid(data,',
    before: 'const ship = () => pays();\nconst order = stored;\n',
    after: 'receive({ data: result });\n',
  },
];

function exampleOf({ file, has }: DocumentSample): string {
  const [code, ...others] = blocksOf(file, 'ts').filter((one) => one.includes(has));
  if (code === undefined || others.length > 0) throw new Error(`${file}: which one has "${has}"?`);
  return code;
}

/** Makes a folder in which the packages of the documents are installed. */
function installed(): string {
  const at = mkdtempSync(join(folder, 'document-'));
  mkdirSync(join(at, 'node_modules/@financing-checkout'), { recursive: true });
  const packages = join(root, 'packages');
  for (const name of ['contract', 'server', 'ticket']) {
    symlinkSync(join(packages, name), join(at, 'node_modules/@financing-checkout', name));
  }
  symlinkSync(
    join(packages, 'server/node_modules/standardwebhooks'),
    join(at, 'node_modules/standardwebhooks'),
  );
  writeFileSync(join(at, 'package.json'), '{ "type": "module" }');
  return at;
}

/** Runs an example once for each result. @returns whether it marked the order as paid, by result */
function run(sample: DocumentSample, code: string, results: readonly Result[]): boolean[] {
  const at = installed();
  const given = 'const { pays, result, stored } = globalThis.given;\n';
  writeFileSync(join(at, 'sample.ts'), given + sample.before + code + (sample.after ?? ''));
  writeFileSync(
    join(at, 'run.js'),
    `const paid = [];
for (const [index, result] of ${JSON.stringify(results)}.entries()) {
  paid.push(false);
  const pays = () => (paid[index] = true);
  globalThis.given = { pays, result, stored: ${JSON.stringify(order)} };
  await import('./sample.ts?' + index);
}
console.log(JSON.stringify(paid));`,
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(at, 'run.js')], {
    encoding: 'utf8',
    env: {
      COMPANION_WEBHOOK_SECRET: webhookSecret,
      FINANCING_ENVIRONMENT: 'production',
      ORDER_TICKET_SECRET: ticketSecret,
    },
  });
  if (status !== 0) throw new Error(`${sample.file}: ${stderr}`);
  return JSON.parse(stdout) as boolean[];
}

const order = {
  merchantOrderId: 'A-10042',
  currency: 'USD',
  items: [{ name: 'Lounge chair', sku: 'LC-1', price: 89_000, quantity: 1 }],
  taxAmount: 5_563,
  shippingAmount: 0,
  totalAmount: 94_563,
};
const approved = approval({ ...order, environment: 'production' });
const refused = refusedResults(approved);

describe.each(documentSamples)('the sample of $file', (sample) => {
  test('marks an order as paid for its approval only', () => {
    const names = ['an approval', ...refused.map(([name]) => name)];
    const paid = run(sample, exampleOf(sample), [approved, ...refused.map(([, result]) => result)]);
    expect(names.filter((_, index) => paid[index])).toEqual(['an approval']);
  });
});

test('control: finds a sample that ships on "approved" alone', () => {
  const [, sample] = documentSamples;
  if (!sample) throw new Error('There is no sample.');
  const code = exampleOf(sample);
  const careless = code.replace(/isPaid\(data, .*?\}\)/, "data.status === 'approved'");
  expect(careless).not.toBe(code);
  const paid = run(sample, careless, [approved, ...refused.map(([, result]) => result)]);
  expect(paid.filter(Boolean).length).toBeGreaterThan(5);
});

test('the README signs an order that the companion accepts', async () => {
  const sample = { file: 'README.md', has: 'await signOrderTicket(', before: '' };
  const code = `${exampleOf(sample)}\nexport { ticket };\n`;
  const at = installed();
  writeFileSync(join(at, 'sign.ts'), code);
  writeFileSync(join(at, 'run.js'), "console.log((await import('./sign.ts')).ticket);");
  const { stdout, stderr } = spawnSync(process.execPath, [join(at, 'run.js')], {
    encoding: 'utf8',
    env: { FINANCING_ENVIRONMENT: 'sandbox', ORDER_TICKET_SECRET: ticketSecret },
  });
  expect(stderr).toBe('');
  const verify = createTicketVerifier({ secrets: [ticketSecret] });
  const { env, order: signed } = await verify(stdout.trim(), Date.now());
  expect({ env, signed }).toEqual({ env: 'sandbox', signed: order });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
/** `npm run test:merchant` requires Python, and sends the same results to this sample. */
const backends = [
  { file: 'backends/shop.js', runtime: process.execPath },
  ...(hasPython ? [{ file: 'backends/shop.py', runtime: 'python3' }] : []),
];

describe.each(backends)('the shop of examples/integrations/$file', ({ file, runtime }) => {
  let program: Program;
  let shop: string;
  beforeAll(async () => {
    const port = await getPort();
    shop = `http://localhost:${port}`;
    const pages = mkdtempSync(join(folder, 'pages-'));
    writeFileSync(join(pages, 'plain.html'), '');
    program = startProgram({
      name: 'shop',
      file: join(root, 'examples/integrations', file),
      runtime,
      cwd: pages,
      env: {
        PORT: String(port),
        PAGES: pages,
        COMPANION_URL: 'http://localhost:4000',
        COMPANION_WEBHOOK_SECRET: webhookSecret,
        FINANCING_ENVIRONMENT: 'production',
        FINANCING_PUBLIC_API_KEY: 'public-key',
        ORDER_TICKET_SECRET: ticketSecret,
      },
    });
    await untilReady(program, `${shop}/plain.html`);
  });
  afterAll(() => program.stop());

  test('marks an order as paid for its approval', async () => {
    expect(await isPaidAfter({ shop, webhookSecret }, (result) => result)).toBe(true);
  });

  test.each(refused.map(([name]) => name))(
    'does not mark an order as paid for %s',
    async (name) => {
      const change = (result: Result) =>
        refusedResults(result).find(([one]) => one === name)?.[1] ?? result;
      expect(await isPaidAfter({ shop, webhookSecret }, change)).toBe(false);
    },
  );

  test('signs the environment into the ticket', async () => {
    const made = await fetch(`${shop}/order`, { method: 'POST' });
    const { ticket } = (await made.json()) as { ticket: string };
    const claims: unknown = JSON.parse(
      Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({ env: 'production', aud: 'financing-companion' });
  });
});
