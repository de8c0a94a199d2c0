import { expect, onTestFinished, test, vi } from 'vitest';
import { setLanguage } from '../locale/locale.ts';
import { NAVIGATED } from '../parts/navigation.ts';
import base from '../styles/base.css?inline';
import { useStyles } from '../styles.fixture.ts';
import './close.ts';

useStyles(base);

const at = '2026-11-03T09:00:00.000Z';
const seal = {
  seq: 1,
  hash: 'ab'.repeat(32),
  previous: '0'.repeat(64),
  at,
  preparedBy: 'anna',
  approvedBy: 'anna',
  isApprovedBySecond: false,
};
const september = { id: '2026-09', from: '2026-09-01', to: '2026-09-30', state: 'closed', seal };
const october = { id: '2026-10', from: '2026-10-01', to: '2026-10-31', state: 'open' };
const waiting = { at, request: 7, lapsesAt: '2026-11-10T09:00:00.000Z' };
const inReview = { ...october, state: 'in-review', prepared: { by: 'clara', ...waiting } };
const closed = { ...october, state: 'closed', seal: { ...seal, seq: 2 } };

const checkOf = (check: string, more: object = {}) => ({
  check,
  state: 'done',
  count: 0,
  amounts: [],
  examples: [],
  digest: 'ef'.repeat(32),
  ...more,
});
const done = [
  ...['period-ended', 'earlier-closed', 'days-proven', 'imports-present'],
  ...['cases-decided', 'fundings-counted', 'unexplained-zero', 'operations-clear'],
].map((check) => checkOf(check));
const zero = {
  opening: 0,
  expected: 0,
  awaiting: 0,
  short: 0,
  accepted: 0,
  over: 0,
  refunds: 0,
  chargebacks: 0,
  reversals: 0,
  duplicates: 0,
  other: 0,
  discount: 0,
  net: 0,
  unexplained: 0,
};
const detailOf = (period: object, more: object = {}) => ({
  zone: 'UTC',
  period,
  checks: done,
  statements: [{ ...zero, currency: 'USD', expected: 12_345, net: 12_345 }],
  statementsHash: 'cd'.repeat(32),
  decided: 17,
  adjustments: [],
  ...more,
});

interface Sent {
  path: string;
  body: unknown;
}

/** Opens the page. Answers are by path, and may change; a POST is answered by `refusal`, or 200. */
function mounted(
  answers: Record<string, object>,
  { scopes = ['periods'], search = '', onPost = () => Response.json({}) } = {},
) {
  history.replaceState(null, '', `/console/close${search}`);
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
    if (method === 'POST') {
      sent.push({ path, body: JSON.parse(typeof body === 'string' ? body : '{}') });
      return Promise.resolve(onPost());
    }
    const answer = answers[path];
    return Promise.resolve(
      answer === undefined ? new Response('', { status: 404 }) : Response.json(answer),
    );
  });
  const page = document.createElement('console-close');
  Object.assign(page, { search, session: { name: 'anna', scopes } });
  const follow = () => Object.assign(page, { search: location.search });
  addEventListener(NAVIGATED, follow);
  onTestFinished(() => removeEventListener(NAVIGATED, follow));
  document.body.append(page);
  const find = (selector: string) => page.querySelector<HTMLElement>(selector);
  const buttons = () =>
    [...page.querySelectorAll<HTMLElement>('close-period wa-button')].filter(
      (button) => button.closest('dialog') === null,
    );
  const press = async (text: string) => {
    await expect
      .poll(() => buttons().find((button) => button.textContent.trim().startsWith(text)))
      .toBeDefined();
    buttons()
      .find((button) => button.textContent.trim().startsWith(text))
      ?.click();
  };
  const submit = async () => {
    await expect.poll(() => page.querySelector('dialog')?.open).toBe(true);
    page
      .querySelector('dialog form')
      ?.dispatchEvent(new SubmitEvent('submit', { cancelable: true }));
  };
  return { page, sent, find, buttons, press, submit };
}

const listOf = (...periods: object[]) => ({ zone: 'UTC', periods, open: '2026-10' });

test('shows the period to close next, with a link to the work of each open requirement', async () => {
  const open = [
    checkOf('days-proven', { state: 'blocked', count: 1, examples: ['2026-10-31'] }),
    checkOf('imports-present', { state: 'blocked', count: 1, examples: ['shopify'] }),
    checkOf('cases-decided', {
      state: 'blocked',
      count: 4,
      examples: ['case_1'],
      orders: { count: 3, first: [{ orderKey: 'order:A-1', merchantOrderId: 'A-1' }] },
      amounts: [{ currency: 'USD', amount: 945 }],
    }),
    checkOf('unexplained-zero', {
      state: 'blocked',
      count: 1,
      amounts: [{ currency: 'USD', amount: -68 }],
    }),
    checkOf('operations-clear', { state: 'blocked', count: 1, examples: ['op_1'] }),
  ];
  const { page, find, buttons } = mounted({
    '/periods': listOf(october, september),
    '/periods/2026-10': detailOf(october, { checks: open }),
  });
  await expect.poll(() => find('.close-checks')).not.toBeNull();
  const links = [...page.querySelectorAll('.close-checks a')].map((a) => a.getAttribute('href'));
  expect(links).toEqual([
    '/console/sync',
    '/console/imports',
    '/console/orders/order%3AA-1',
    '/console/cases?begunTo=2026-10-31',
    '/console/orders?step=unexplained&from=2026-10-01&to=2026-10-31&currency=USD',
    '/console/money?from=2026-10-01&to=2026-10-31',
    '/console/?kind=unclear-operation',
  ]);
  expect(find('.close-checks')?.textContent).toContain('3 orders:');
  expect(find('.close-checks')?.textContent).toContain('and 2 more');
  expect(find('.close-checks')?.textContent).toContain('$9.45');
  // Only missing imports, open cases and uncounted fundings can be accepted.
  expect(buttons().map((button) => button.textContent.trim())).toEqual([
    'Prepare',
    'Accept: Every ledger file is here',
    'Accept: Every case is decided',
  ]);
  expect(buttons()[0]?.hasAttribute('disabled')).toBe(true);
  expect(find('close-period')?.textContent).toContain('5 requirements are open');
});

test('accepts a finding only with a reason, and shows it', async () => {
  const found = { state: 'blocked', count: 1, examples: ['shopify'] };
  const answers: Record<string, object> = {
    '/periods': listOf(october),
    '/periods/2026-10': detailOf(october, { checks: [checkOf('imports-present', found)] }),
  };
  const { sent, find, press, submit } = mounted(answers, {
    onPost: () => {
      const accepted = { by: 'anna', at, reason: 'The shop was closed.' };
      const checks = [checkOf('imports-present', { ...found, state: 'accepted', accepted })];
      answers['/periods/2026-10'] = detailOf(october, { checks });
      return Response.json(answers['/periods/2026-10']);
    },
  });
  await press('Accept');
  await submit();
  await expect.poll(() => find('dialog .problem')?.textContent).toBe('Enter a reason.');
  expect(sent).toEqual([]);
  const field = find('dialog textarea') as HTMLTextAreaElement;
  field.value = ' The shop was closed. ';
  await submit();
  await expect.poll(() => find('blockquote')?.textContent).toBe('The shop was closed.');
  expect(sent).toEqual([
    {
      path: '/periods/2026-10/acceptance',
      body: {
        check: 'imports-present',
        digest: 'ef'.repeat(32),
        reason: 'The shop was closed.',
      },
    },
  ]);
  // The button that opened the dialog is gone.
  await expect.poll(() => document.activeElement?.tagName).toBe('H2');
});

test('names the net and unexplained amounts before a close, then its steps, then its seal', async () => {
  const answers: Record<string, object> = {
    '/periods': listOf(inReview, september),
    '/periods/2026-10': detailOf(inReview),
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const post = Promise.withResolvers<null>();
  const { page, sent, find, press, submit } = mounted(answers);
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (init.method === 'POST') await post.promise;
    return fetch(path, init);
  });
  await press('Approve and close');
  await expect.poll(() => find('dialog')?.textContent).toContain('$123.45');
  expect([...page.querySelectorAll('dialog tbody th')].map((one) => one.textContent)).toEqual([
    'Net posted by lenders',
    'Unexplained',
  ]);
  answers['/periods'] = {
    ...listOf(inReview, september),
    closing: { period: '2026-10', step: 'hashing' },
  };
  await submit();
  const textLater = () => {
    vi.advanceTimersByTime(500);
    return find('close-period')?.textContent;
  };
  await expect.poll(textLater).toContain('The seal is computed.');
  answers['/periods'] = { ...listOf(closed, september), open: '2026-11' };
  answers['/periods/2026-10'] = detailOf(closed, { checks: [] });
  post.resolve(null);
  await expect.poll(() => find('close-period')?.textContent).toContain('Closed and sealed.');
  const statements = 'cd'.repeat(32);
  expect(sent).toEqual([{ path: '/periods/2026-10/close', body: { statements, decided: 17 } }]);
  // The period that was closed stays shown, though another one is next.
  expect(location.search).toBe('?period=2026-10');
  await expect.poll(() => find('close-period')?.textContent).toContain('Seal 2');
});

const review = {
  before: '2026-09',
  exceptions: [
    {
      code: 'NOT_IN_LEDGER',
      currency: 'USD',
      open: { count: 3, amount: 945, assumedCurrency: 1 },
      begun: { count: 2, amount: 645 },
      begunBefore: { count: 0, amount: 0 },
    },
  ],
  uncounted: [{ reason: 'assumed-currency', currency: 'EUR', count: 2, amount: 1_500 }],
  accounts: [
    {
      account: 'discount',
      currency: 'USD',
      own: { count: 12, amount: 4_000 },
      before: { count: 10, amount: 3_500 },
    },
  ],
  since: { entries: [{ kind: 'noted', count: 2, first: 41, last: 57 }], cases: 1 },
};
const accepted = { by: 'clara', at, reason: 'The lender corrects all three.' };

test.each([
  [
    'en',
    ['$9.45?', '$6.45 2 cases', '–'],
    ['Merchant discount', '$40.00 12 orders', '$35.00 10 orders', '$5.00'],
    ['2 fundings with an assumed currency: €15.00', '1 new case', 'numbers 41 to 57 of the trail'],
  ],
  [
    'de',
    ['9,45', '3 Fälle', '6,45'],
    ['Händlerabschlag', '40,00', '12 Bestellungen', '5,00'],
    ['2 Auszahlungen mit angenommener Währung: 15,00', '1 neuer Fall', 'Nummern 41 bis 57'],
  ],
])(
  'shows in %s what a second person approves, beside the last period',
  async (language, exception, account, lists) => {
    await setLanguage(language);
    const found = { state: 'accepted', count: 3, accepted };
    const { page, find, press } = mounted({
      '/periods': listOf(inReview, september),
      '/periods/2026-10': detailOf(inReview, {
        checks: [checkOf('cases-decided', found)],
        review,
      }),
    });
    const words = (element: Element | null | undefined) =>
      element?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
    await expect.poll(() => page.querySelectorAll('.reviewed')).toHaveLength(2);
    const [exceptions, accounts] = page.querySelectorAll('close-period tbody tr');
    for (const text of exception) expect(words(exceptions)).toContain(text);
    for (const text of account) expect(words(accounts)).toContain(text);
    for (const text of lists) expect(words(find('close-period'))).toContain(text);
    const links = [...page.querySelectorAll('close-period section a')].map((a) =>
      a.getAttribute('href'),
    );
    expect(links).toContain('/console/cases?begunTo=2026-10-31&code=NOT_IN_LEDGER');
    expect(links).toContain(
      `/console/cases?state=all&from=${encodeURIComponent(at)}&begunTo=2026-10-31`,
    );
    await press(language === 'en' ? 'Approve and close' : 'Freigeben und abschließen');
    await expect.poll(() => page.querySelector('dialog')?.open).toBe(true);
    for (const text of ['The lender corrects all three.', 'clara', ...lists]) {
      expect(words(find('dialog'))).toContain(text);
    }
    expect(words(find('dialog'))).toContain(
      language === 'en' ? '3 cases, $9.45?' : '3 Fälle, 9,45',
    );
    // A person reaches the button of the dialog with a few keys.
    expect(page.querySelectorAll('dialog a')).toHaveLength(0);
  },
);

test.each([
  ['en', 'period-not-ready', 'the checklist names what is open'],
  ['en', 'second-person-required', 'A second person has to do this'],
  ['de', 'period-not-ready', 'die Checkliste nennt, was offen ist'],
  ['de', 'period-changed', 'seit der Vorbereitung geändert'],
  ['de', 'second-person-required', 'Das muss eine zweite Person tun'],
  ['de', 'sync-busy', 'Ein anderer Abgleich läuft'],
])('in %s says why a preparation was refused: %s', async (language, code, text) => {
  await setLanguage(language);
  const detail = 'Not done for 2026-10: unexplained-zero (1).';
  const { find, press } = mounted(
    { '/periods': listOf(october), '/periods/2026-10': detailOf(october) },
    { onPost: () => Response.json({ code, detail }, { status: 409 }) },
  );
  await press(language === 'en' ? 'Prepare' : 'Vorbereiten');
  await expect
    .poll(() => find('close-period .problem')?.textContent.toLowerCase())
    .toContain(text.toLowerCase());
  expect(find('close-period')?.textContent).not.toContain(detail);
});

test('shows everything without the right, and offers no change', async () => {
  const found = { state: 'blocked', count: 1, examples: ['case_1'] };
  const { find, buttons } = mounted(
    {
      '/periods': listOf(october, september),
      '/periods/2026-10': detailOf(october, { checks: [checkOf('cases-decided', found)] }),
    },
    { scopes: [] },
  );
  await expect.poll(() => find('.close-checks')).not.toBeNull();
  expect(buttons()).toEqual([]);
  expect(document.body.textContent).toContain('need the right “periods”');
});

test('shows the seal of the period in the URL, its files, and that one person approved it', async () => {
  const { page, find, press, submit, sent } = mounted(
    {
      '/periods': listOf(october, september),
      '/periods/2026-09': detailOf(september, { checks: [] }),
    },
    { search: '?period=2026-09' },
  );
  await expect.poll(() => find('close-period')?.textContent).toContain(seal.hash);
  expect(find('close-period')?.textContent).toContain('Not approved by a second person');
  const files = [...page.querySelectorAll('a[download]')].map((link) => link.getAttribute('href'));
  expect(files).toEqual([
    '/walk?period=2026-09&format=csv&bom=true&decimal=point',
    '/walk?period=2026-09&format=xlsx',
    '/periods/2026-09/seal?part=statements&seq=1',
    '/periods/2026-09/seal?part=flows&seq=1',
  ]);
  await press('Reopen');
  await submit();
  await expect.poll(() => find('dialog .problem')?.textContent).toBe('Enter a reason.');
  expect(sent).toEqual([]);
});

test('shows the checklist as sealed, and what has changed since beside it', async () => {
  const accepted = { by: 'anna', at, reason: 'The lender corrects it.' };
  const sealedCases = { state: 'accepted', count: 2, examples: ['case_1'], accepted };
  const { find } = mounted(
    {
      '/periods': listOf(october, september),
      '/periods/2026-09': detailOf(september, {
        checks: [checkOf('cases-decided', sealedCases)],
        sinceSeal: {
          open: '2026-10',
          orders: 3,
          checks: [
            { check: 'cases-decided', count: 5, amounts: [], examples: ['case_9'] },
            { check: 'fundings-counted', count: 1, amounts: [], examples: [] },
          ],
        },
      }),
    },
    { search: '?period=2026-09' },
  );
  await expect.poll(() => find('[aria-label="Checklist"]')).not.toBeNull();
  const sealedText = find('[aria-label="Checklist"]')?.textContent.replaceAll(/\s+/g, ' ');
  expect(sealedText).toContain('As sealed.');
  expect(sealedText).toContain('The lender corrects it.');
  expect(sealedText).not.toContain('Decide them: Cases');
  const since = find('[aria-label="Since the seal"]');
  const text = since?.textContent.replaceAll(/\s+/g, ' ');
  expect(text).toContain('3 orders have changed, which counts in 2026-10');
  expect(text).toMatch(/When it was sealed: 2 .*case_9.* Decide them: Cases 5/);
  expect(since?.querySelector('a')?.getAttribute('href')).toBe('/console/close?period=2026-10');
});

test('confirms the reopening that another person asked for without a second reason', async () => {
  const reopening = { by: 'clara', ...waiting, reason: 'The bank differs.' };
  const asked = { ...september, reopening };
  const answers: Record<string, object> = {
    '/periods': listOf(october, asked),
    '/periods/2026-09': detailOf(asked, { checks: [] }),
  };
  const { find, press, submit, sent } = mounted(answers, { search: '?period=2026-09' });
  await press('Confirm reopening');
  await expect.poll(() => find('dialog')?.textContent).toContain('The bank differs.');
  answers['/periods/2026-09'] = detailOf({ ...september, state: 'open' });
  await submit();
  await expect
    .poll(() => find('close-period .good')?.textContent)
    .toBe('The period is open again.');
  expect(sent).toEqual([{ path: '/periods/2026-09/reopening', body: { request: 7 } }]);
});

test('withdraws a preparation, which lapses without a second person', async () => {
  const answers: Record<string, object> = {
    '/periods': listOf(inReview, september),
    '/periods/2026-10': detailOf(inReview),
  };
  const { find, press, sent } = mounted(answers);
  await expect.poll(() => find('close-period')?.textContent).toContain('it lapses Nov 10, 2026');
  answers['/periods'] = listOf(october, september);
  answers['/periods/2026-10'] = detailOf(october);
  await press('Withdraw');
  await expect.poll(() => find('close-period .good')?.textContent).toBe('Withdrawn.');
  expect(sent).toEqual([{ path: '/periods/2026-10/withdrawal', body: { of: 'preparation' } }]);
});

test('lists what changed in closed periods, each with its order, amounts and reason', async () => {
  const adjustment = {
    belongsTo: '2026-09',
    orderKey: 'order:A-1',
    merchantOrderId: 'A-1',
    currency: 'USD',
    lender: 'Quillmoor',
    reason: 'funding-changed',
    inTransit: -500,
    amounts: { ...zero, net: 500 },
  };
  const { page, find } = mounted({
    '/periods': listOf(october, september),
    '/periods/2026-10': detailOf(october, { adjustments: [{ belongsTo: '2026-09', count: 2 }] }),
    '/periods/2026-10/adjustments': {
      period: '2026-10',
      isSealed: false,
      adjustments: [adjustment],
      count: 2,
    },
  });
  await expect.poll(() => find('close-adjustments tbody')).not.toBeNull();
  const [row] = page.querySelectorAll('close-adjustments tbody tr');
  const cells = [...(row?.children ?? [])].map((cell) =>
    cell.textContent.trim().replaceAll(/\s+/g, ' '),
  );
  expect(cells).toEqual([
    ...['A-1', '2026-09', 'Quillmoor'],
    'Net posted by lenders $5.00In transit -$5.00',
    'A lender posted, changed or took back a funding.',
  ]);
  expect(find('close-adjustments')?.textContent).toContain('The 1 largest are listed.');
  expect(find('close-adjustments .exports a')?.getAttribute('href')).toMatch(
    /^\/periods\/2026-10\/adjustments\?format=csv/,
  );
});

test('says in German why a check is open, and links to the fundings of no sum', async () => {
  await setLanguage('de');
  const failure = { code: 'companion-unavailable', message: 'The companion does not answer.' };
  const checks = [
    checkOf('fundings-counted', { state: 'blocked', count: 2 }),
    checkOf('operations-clear', { state: 'blocked', count: 1, failure }),
  ];
  const { page, find } = mounted({
    '/periods': listOf(october),
    '/periods/2026-10': detailOf(october, { checks }),
  });
  await expect.poll(() => find('.close-checks')?.textContent).toContain('antwortet nicht');
  expect(find('.close-checks')?.textContent).not.toContain('does not answer');
  const links = [...page.querySelectorAll('.close-checks a')].map((a) => a.getAttribute('href'));
  expect(links).toEqual([
    '/console/orders?currencyAssumed=true',
    '/console/sync',
    '/console/?kind=unclear-operation',
  ]);
});

test('opens the orders of a sealed amount, with a total that equals it', async () => {
  const listed = 'step=expected&currency=USD';
  const { page, find } = mounted(
    {
      '/periods': listOf(october, september),
      '/periods/2026-09': detailOf(september, { checks: [] }),
      [`/periods/2026-09/orders?${listed}`]: {
        period: '2026-09',
        isSealed: true,
        step: 'expected',
        orders: [
          {
            orderKey: 'order:A-1',
            merchantOrderId: 'A-1',
            currency: 'USD',
            lender: 'Q',
            amount: 12_000,
          },
          {
            orderKey: 'order:A-2',
            merchantOrderId: 'A-2',
            currency: 'USD',
            lender: 'Q',
            amount: 345,
          },
        ],
        count: 2,
        sums: [{ currency: 'USD', amount: 12_345 }],
      },
    },
    { search: `?period=2026-09&${listed}` },
  );
  await expect.poll(() => find('close-orders tfoot')?.textContent).toContain('$123.45');
  const rows = [...page.querySelectorAll('close-orders tbody tr')].map((row) => row.textContent);
  expect(rows).toHaveLength(2);
  expect(find('close-orders')?.getBoundingClientRect().top).toBeLessThan(innerHeight);
  expect(find('close-orders')?.textContent).toContain('Orders of “Settled” in USD');
  const amounts = [...page.querySelectorAll('.walk-steps a')].map((a) => a.getAttribute('href'));
  expect(amounts).toEqual([
    `/console/close?period=2026-09&${listed}`,
    '/console/close?period=2026-09&step=net&currency=USD',
  ]);
  expect(find('close-orders .exports a')?.getAttribute('href')).toMatch(
    /^\/periods\/2026-09\/orders\?step=expected&currency=USD&format=csv/,
  );
});

test('verifies the seals, and names altered contents', async () => {
  const { find } = mounted({
    '/periods': listOf(september),
    '/periods/2026-09': detailOf(september, { checks: [] }),
    '/periods/verification': {
      isIntact: false,
      seals: [
        { seq: 1, period: '2026-09', hash: seal.hash, checked: 4, bytes: 900, problems: [] },
        {
          seq: 2,
          period: '2026-10',
          hash: seal.hash,
          checked: 4,
          bytes: 900,
          problems: [
            { code: 'statements-altered', message: 'its statements were altered' },
            { code: 'day-altered', subject: '2026-10-03', message: 'altered' },
          ],
        },
      ],
    },
  });
  await expect.poll(() => find('close-seals wa-button')).not.toBeNull();
  find('close-seals wa-button')?.click();
  await expect.poll(() => find('close-seals .broken')?.textContent).toContain('2 problems');
  const problems = [...(find('close-seals .broken')?.querySelectorAll('li') ?? [])];
  expect(problems.map(({ textContent }) => textContent)).toEqual([
    'Its statements were altered.',
    'The content of 2026-10-03 was altered.',
  ]);
  expect(find('close-seals .valid')?.textContent).toContain('Seal 1, 2026-09: intact');
});
