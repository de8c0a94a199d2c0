/* A ticket that PHP signed. `npm run test:merchant` requires PHP and lets it sign a new ticket. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTicketVerifier } from '../../packages/ticket/dist/index.js';
import { root } from './tree.ts';

const ticket = readFileSync(join(root, 'tests/integrations/php/ticket-of-200-lines.txt'), 'utf8');

test('accepts a ticket of 200 Cyrillic lines that PHP signed with its defaults', async () => {
  const payload = Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString();
  // Characteristics of PHP: escapes, a list of audiences, a fraction of a second.
  expect(payload).toMatch(/^\{"aud":\["financing-companion"\],"iat":\d+\.\d+,/);
  expect(payload).toMatch(/\\u0421.* \\\/ 200/);
  const { iat } = JSON.parse(payload) as { iat: number };
  const verify = createTicketVerifier({ secrets: ['made-up-secret-of-the-php-fixture-32'] });
  const { order } = await verify(ticket, iat * 1000);
  expect(order.items).toHaveLength(200);
  expect(order.items[199]).toMatchObject({
    name: 'Стул дубовый с обивкой, цвет «песок», 200 / 200',
    sku: 'СТУЛ-0200',
  });
});
