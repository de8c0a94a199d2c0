import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLedger } from './ledger.fixture.ts';
import { parseMapping } from './columns.ts';
import { parsePreset } from './preset-file.ts';
import { packaged, presetNames } from './presets.ts';

const csv = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;

// Layouts of real programs, with invented orders and amounts.
const shopify = csv(
  'Name,Email,Financial Status,Paid at,Currency,Subtotal,Total,Refunded Amount,Lineitem name,Id',
  '#1001,,paid,2026-03-08 23:02:14 +1000,AUD,90.00,100.00,0.00,Chair,1',
  '#1001,,,,,,,,Table,',
  '#1002,,pending,,AUD,10.00,10.00,0.00,Lamp,2',
  '#1003,,refunded,2026-03-09 08:00:00 +1000,AUD,20.00,20.00,20.00,Lamp,3',
);
const adyen = csv(
  'Company Account,Merchant Account,Psp Reference,Merchant Reference,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Commission (NC),Reserved1',
  'Shop,ShopEU,P1,A-1,2026-03-08 10:00:00,CET,Settled,R1,EUR,,100.00,1.20',
  'Shop,ShopEU,P1,A-1,2026-03-10 10:00:00,CET,Refunded,R2,EUR,30.00,,',
  'Shop,ShopEU,,,2026-03-11 00:00:00,CET,MerchantPayout,,EUR,68.80',
);
const paypal = csv(
  '"RH","2026/03/09 01:00:00 -0800","A","ACCOUNT",011',
  '"FH",01',
  '"SH","2026/03/08 00:00:00 -0800","2026/03/08 23:59:59 -0800","ACCOUNT",""',
  '"CH","Transaction ID","Invoice ID","Transaction Event Code","Transaction Initiation Date","Transaction Completion Date","Transaction  Debit or Credit","Gross Transaction Amount","Gross Transaction Currency"',
  '"SB","P1","A-1","T0006","2026/03/08 10:00:00 -0800","2026/03/08 10:00:01 -0800","CR","12500","USD"',
  '"SB","P2","A-1","T1107","2026/03/08 11:00:00 -0800","2026/03/08 11:00:01 -0800","DR","2500","USD"',
  '"SB","P3","","T0006","2026/03/08 12:00:00 -0800","2026/03/08 12:00:01 -0800","CR","700","USD"',
  '"SB","P4","","T0400","2026/03/08 13:00:00 -0800","2026/03/08 13:00:01 -0800","DR","10000","USD"',
  '"SF","USD","12500","2500"',
  '"FF","7"',
);
const stripe = csv(
  'balance_transaction_id,created_utc,created,currency,gross,fee,net,reporting_category,description,payment_metadata[order_id]',
  'txn_1,2026-03-08 14:03:00,2026-03-08 15:03:00,usd,100.00,3.20,96.80,charge,Order,A-1',
  'txn_2,2026-03-09 14:03:00,2026-03-09 15:03:00,usd,-30.00,0.00,-30.00,refund,,A-1',
  'txn_3,2026-03-10 14:03:00,2026-03-10 15:03:00,usd,-66.80,0.00,-66.80,payout,,',
);
const shopifyPayouts = csv(
  'Transaction Date,Type,Order,Card Brand,Payout Status,Payout Date,Amount,Fee,Net,Checkout,Currency',
  '2026-03-08 23:02:14 +1000,charge,#1001,visa,paid,2026-03-10,100.00,3.20,96.80,#1,AUD',
  '2026-03-09 08:00:00 +1000,refund,#1001,visa,paid,2026-03-11,-30.00,0.00,-30.00,#1,AUD',
  '2026-03-10 08:00:00 +1000,adjustment,,,paid,2026-03-11,-5.00,0.00,-5.00,,AUD',
);
const files = { shopify, 'shopify-payouts': shopifyPayouts, adyen, paypal, stripe };

test.each([
  [
    'shopify',
    { settleAndRefund: true },
    'Settle 10000 AUD 2026-03-08T13:02:14.000Z',
    'Settle 2000 AUD 2026-03-08T22:00:00.000Z',
    'Refund 2000 AUD 2026-03-08T22:00:00.000Z',
  ],
  [
    'shopify-payouts',
    {},
    'Settle 10000 AUD 2026-03-08T13:02:14.000Z',
    'Refund 3000 AUD 2026-03-08T22:00:00.000Z',
  ],
  [
    'adyen',
    { zone: 'Europe/Amsterdam' },
    'Settle 10000 EUR 2026-03-08T09:00:00.000Z',
    'Refund 3000 EUR 2026-03-10T09:00:00.000Z',
  ],
  [
    'paypal',
    {},
    'Settle 12500 USD 2026-03-08T18:00:01.000Z',
    'Refund 2500 USD 2026-03-08T19:00:01.000Z',
  ],
  [
    'stripe',
    {},
    'Settle 10000 USD 2026-03-08T14:03:00.000Z',
    'Refund 3000 USD 2026-03-09T14:03:00.000Z',
  ],
] as const)(
  'proposes the preset of %s by its columns, and reads the layout with it',
  async (name, options, ...expected) => {
    const { run, lines } = await openLedger();
    const proposed = await run(files[name], { dryRun: true });
    expect(proposed.errors[0]?.message).toContain(`set \`preset\` to ${name}`);
    expect((await run(files[name], { units: 'major', dryRun: true })).errors[0]?.message).toContain(
      `set \`preset\` to ${name}`,
    );
    const report = await run(files[name], { preset: name, ...options });
    expect(report).toMatchObject({ applied: true, errors: [] });
    expect(report.leftOut.map(({ count }) => count).reduce((sum, count) => sum + count, 0)).toBe(
      report.skipped,
    );
    const read = (await lines()).map(
      ({ type, amount, currency, at }) => `${type} ${amount} ${currency} ${at}`,
    );
    expect(read.toSorted()).toEqual([...expected].toSorted());
  },
);

test('asks for facts that a layout lacks: the date of a refund, and the zone of CET', async () => {
  const { run } = await openLedger();
  expect((await run(shopify, { preset: 'shopify' })).errors).toMatchObject([
    {
      line: 5,
      code: 'both-amounts',
      message: expect.stringContaining('settle-and-refund') as string,
    },
  ]);
  const { errors } = await run(adyen, { preset: 'adyen' });
  expect(errors).toMatchObject([{ code: 'zone-unknown', count: 2 }]);
  expect(errors[0]?.message).toContain('TimeZone "CET" is ambiguous');
});

test('accepts a preset file of the user, overridden by explicit options', async () => {
  const { run, lines } = await openLedger();
  const preset = JSON.stringify({
    ...{ map: { order: 'Beleg', amount: 'Betrag', date: 'Datum', type: 'Art' }, units: 'major' },
    ...{
      decimal: 'comma',
      dates: 'dmy',
      currency: 'EUR',
      types: { settle: ['Rechnung'], skip: ['Zahlung'] },
    },
  });
  const file = csv(
    'Beleg;Konto;Art;Betrag;Datum',
    'A-1;K-1;Rechnung;1.234,50;02.03.26',
    'A-2;K-2;Zahlung;1,00;02.03.26',
  );
  expect(await run(file, { preset })).toMatchObject({ added: 1, skipped: 1 });
  await run(file, { preset, currency: 'CHF', mapping: parseMapping('order=Konto') });
  expect((await lines()).map(({ currency, amount }) => [currency, amount])).toEqual([
    ['CHF', 123_450],
    ['EUR', 123_450],
  ]);
});

test.each([
  ['shopfy', /shopify/],
  ['{"mapp":{}}', /mapp/],
  ['{"units":"cents"}', /units/],
  ['{"units":"major","units":"minor"}', /"units" twice/],
  ['{', /not JSON/],
])('explains why a preset is unusable: %s', async (preset, message) => {
  const { run } = await openLedger();
  await expect(run('', { preset })).rejects.toThrow(message);
});

test.each(presetNames)('the preset %s of the package is a valid preset file', (name) => {
  const text = readFileSync(new URL(`../../presets/${name}.json`, import.meta.url), 'utf8');
  expect(parsePreset(text)).toEqual(packaged(name));
});
