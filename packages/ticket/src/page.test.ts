import { afterEach, expect, test, vi } from 'vitest';
import { order, TICKET_SECRET } from './order.fixture.ts';
import { signOrderTicket } from './sign.ts';
import { createTicketVerifier } from './verify.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const words = /runs on a server only: a secret in a page is public/;
const options = { secret: TICKET_SECRET, environment: 'sandbox' };

test('the module that page bundlers resolve says where the package can run', async () => {
  await expect(import('./server-only.ts')).rejects.toThrow(words);
});

test('a page can neither sign nor verify, even if the build includes the package', async () => {
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', { env: {} });
  await expect(signOrderTicket(order, options)).rejects.toThrow(words);
  expect(() => createTicketVerifier({ secrets: [TICKET_SECRET] })).toThrow(words);
});

test('a Node.js test environment with a document can sign', async () => {
  vi.stubGlobal('document', {});
  expect(await signOrderTicket(order, options)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});
