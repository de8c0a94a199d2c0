import { expect, test } from 'vitest';
import { ConfigurationError, readConfiguration } from './config.ts';

const valid = {
  FINANCING_ENVIRONMENT: 'sandbox',
  FINANCING_BASE_URL: 'https://localhost:4443',
  FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
  FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
  ORDER_TICKET_SECRET: 'x'.repeat(32),
  COMPANION_ALLOWED_ORIGINS: 'https://shop.example',
};
const word = (name: string) => `token-of-${name}-0123456789`;

function read(change: Record<string, string>, file = '') {
  try {
    return { configuration: readConfiguration({ ...valid, ...change }, () => file), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { configuration: undefined, problems: error.problems };
  }
}

test('reads tokens from a file, one per line, each with a name and scopes', () => {
  const file = `# who may do what
shop     read        ${word('shop')}

finance  fundings,webhooks  ${word('finance')}\r
till     money       ${word('till')}
`;
  const change = { COMPANION_BACK_OFFICE_TOKENS_FILE: '/run/secrets/tokens' };
  const { configuration } = read(change, file);
  const tokens = configuration?.backOfficeTokens.map(({ name, scopes, secret }) => [
    name,
    scopes,
    secret.reveal(),
  ]);
  expect(tokens).toEqual([
    ['shop', ['read'], word('shop')],
    ['finance', ['fundings', 'webhooks'], word('finance')],
    ['till', ['money'], word('till')],
  ]);
  expect(JSON.stringify(configuration)).not.toContain('token-of');
});

test('the single token permits everything under the name "back-office", together with named tokens', () => {
  const { configuration } = read({
    COMPANION_BACK_OFFICE_TOKEN: word('all'),
    COMPANION_BACK_OFFICE_TOKENS: `shop read ${word('shop')}`,
  });
  expect(configuration?.backOfficeTokens).toMatchObject([
    { name: 'back-office', scopes: ['fundings', 'webhooks', 'links', 'money'] },
    { name: 'shop', scopes: ['read'] },
  ]);
});

test.each([
  ['two parts', `shop ${word('shop')}`],
  ['four parts', `shop read ${word('shop')} more`],
  ['an unknown scope', `shop read,refund ${word('shop')}`],
  ['no scope', `shop , ${word('shop')}`],
  ['a short token', 'shop read short'],
  ['a reserved name', `loopback read ${word('shop')}`],
  ['a name with a comma', `a,b read ${word('shop')}`],
  ['a repeated name', `shop read ${word('shop')}\nshop money ${word('other')}`],
  ['a repeated token', `shop read ${word('shop')}\nother money ${word('shop')}`],
  ['nothing but a comment', '# nothing'],
  ['a key of the service', 'shop read public-key-0123456789'],
  ['the private key', 'shop read private-key-0123456789'],
])('refuses %s without repeating it', (_, text) => {
  const { problems } = read({ COMPANION_BACK_OFFICE_TOKENS: text });
  expect(problems.map(({ variable }) => variable)).toEqual(['COMPANION_BACK_OFFICE_TOKENS']);
  expect(problems[0]?.message).not.toMatch(/0123456789|short|a,b/);
});

test.each(['0.0.0.0', '10.0.0.7', '::', 'companion.internal'])(
  'refuses plain HTTP on %s unless it is configured',
  (host) => {
    const change = {
      COMPANION_BACK_OFFICE_HOST: host,
      COMPANION_BACK_OFFICE_TOKENS: `shop read ${word('shop')}`,
    };
    const { problems } = read(change);
    expect(problems.map(({ variable }) => variable)).toEqual(['COMPANION_BACK_OFFICE_HOST']);
    expect(problems[0]?.message).toContain('COMPANION_BACK_OFFICE_INSECURE=true');
    const said = read({ ...change, COMPANION_BACK_OFFICE_INSECURE: 'true' });
    expect(said.configuration?.backOfficeInsecure).toBe(true);
    expect(read({ ...change, COMPANION_BACK_OFFICE_INSECURE: 'yes' }).problems).not.toEqual([]);
  },
);
