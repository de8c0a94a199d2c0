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
const square = csv(
  'Date,Time,Time Zone,Gross Sales,Discounts,Net Sales,Tax,Tip,Partial Refunds,Total Collected,Source,Card,Cash,Fees,Net Total,Transaction ID,Payment ID,Card Brand,Details,Event Type,Location,Customer Name,Transaction Status',
  '03/08/2026,2:30:00 PM,Pacific Time (US & Canada),"$1,000.00",$0.00,"$1,000.00",$80.00,$0.00,$0.00,"$1,080.00",Point of Sale,"$1,080.00",$0.00,-$28.38,"$1,051.62",T1,P1,Visa,Chair,Payment,Main,,Complete',
  '03/09/2026,9:00:00 AM,Pacific Time (US & Canada),-$30.00,$0.00,-$30.00,-$2.40,$0.00,$0.00,-$32.40,Point of Sale,-$32.40,$0.00,$0.00,-$32.40,T2,P2,Visa,Chair,Refund,Main,,Complete',
  '03/09/2026,9:05:00 AM,Pacific Time (US & Canada),$0.00,$0.00,$0.00,$0.00,$0.00,$0.00,$0.00,Point of Sale,$0.00,$0.00,$0.00,$0.00,T3,P3,,Gift,Payment,Main,,Complete',
);
const razorpay = csv(
  'transaction_entity,entity_id,amount,currency,fee (exclusive tax),tax,debit,credit,payment_method,entity_created_at,payment_captured_at,order_id,order_receipt,dispute_id,settlement_id,settled_at,settlement_utr,settled_by',
  'payment,pay_1,1000.00,INR,20.00,3.60,0.00,976.40,upi,08/03/2026 14:33:57,08/03/2026 14:34:01,order_1,A-1,,setl_1,10/03/2026 10:00:00,UTR1,Razorpay',
  'refund,rfnd_1,250.50,INR,0.00,0.00,250.50,0.00,,2026-03-09T01:00:00,,order_1,A-1,,setl_1,10/03/2026 10:00:00,UTR1,Razorpay',
  'adjustment,adj_1,5.00,INR,0.00,0.00,0.00,5.00,,09/03/2026 02:00:00,,,,,setl_1,10/03/2026 10:00:00,UTR1,Razorpay',
);
const vipps = csv(
  'Oppgjørsrapport,,,,,,,,,,,,,',
  'Bedriften,,Example AS,,,,,,,,,,,',
  'Salgsdato,Salgssted,Vippsnummer,Produkt,Transaksjons-ID,Ordre-ID,Brutto,Gebyr,Netto,Transaksjonstype,Oppgjørs-ID,Oppgjørsdato,Oppgjørssum,Oppgjørskonto',
  '08.03.2026,Shop,12345,Vipps Netthandel,501,A-1,100.00,-2.25,97.75,Salg,2000004,09.03.2026,,',
  '09.03.2026,Shop,12345,Vipps Netthandel,502,A-1,-30.00,0.00,-30.00,Refundering,2000005,10.03.2026,,',
  'Til utbetaling netto,,,,,,,,,,2000004,09.03.2026,67.75,12345678901',
);
const vippsTransactions = csv(
  'OrganizationNumber,MerchantName',
  '123456789,Example AS',
  'SettlementInfo,SalesUnitName,SaleUnitNumber,SettlementDate,SettlementID,SettlementAccount,Gross,Currency,Fee,Refund,Net,NumberOfTransactions',
  'SettlementInfo,Shop,12345,09.03.2026,2000004,12345678901,100.00,NOK,-2.25,0.00,97.75,1',
  'FeeInfo,SettlementDate,SaleUnitName,SaleUnitNumber,FeeAccount,Fee,Currency',
  'TransactionInfo,SalesDate,SaleUnitName,SaleUnitNumber,TransactionId,SettlementId,OrderID,SettlementDate,Gross,Currency,Fee,Refund,Net',
  'TransactionInfo,08.03.2026,Shop,12345,501,2000004,A-1,09.03.2026,100.00,NOK,-2.25,0.00,97.75',
  'SettlementInfo,SalesUnitName,SaleUnitNumber,SettlementDate,SettlementID,SettlementAccount,Gross,Currency,Fee,Refund,Net,NumberOfTransactions',
  'SettlementInfo,Shop,12345,10.03.2026,2000005,12345678901,-30.00,NOK,0.00,-30.00,-30.00,1',
  'TransactionInfo,SalesDate,SaleUnitName,SaleUnitNumber,TransactionId,SettlementId,OrderID,SettlementDate,Gross,Currency,Fee,Refund,Net',
  'TransactionInfo,09.03.2026,Shop,12345,502,2000005,A-1,10.03.2026,-30.00,NOK,0.00,-30.00,-30.00',
);
const files = {
  shopify,
  'shopify-payouts': shopifyPayouts,
  adyen,
  paypal,
  stripe,
  square,
  razorpay,
  vipps,
  'vipps-transactions': vippsTransactions,
};

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
  [
    'square',
    { currency: 'USD' },
    'Settle 108000 USD 2026-03-08T21:30:00.000Z',
    'Refund 3240 USD 2026-03-09T16:00:00.000Z',
  ],
  [
    'razorpay',
    {},
    'Settle 100000 INR 2026-03-08T09:03:57.000Z',
    'Refund 25050 INR 2026-03-08T19:30:00.000Z',
  ],
  [
    'vipps',
    {},
    'Settle 10000 NOK 2026-03-07T23:00:00.000Z',
    'Refund 3000 NOK 2026-03-08T23:00:00.000Z',
  ],
  [
    'vipps-transactions',
    {},
    'Settle 10000 NOK 2026-03-07T23:00:00.000Z',
    'Refund 3000 NOK 2026-03-08T23:00:00.000Z',
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

test('reads the settlement reconciliation report of the Razorpay API, in minor units', async () => {
  const { lines, run } = await openLedger();
  const paid = {
    entity_id: 'pay_1',
    type: 'payment',
    debit: 0,
    credit: 97_100,
    amount: 100_000,
    currency: 'INR',
    fee: 2_900,
    settled: true,
    created_at: 1_772_960_637,
    settlement_id: 'setl_1',
    payment_id: null,
    order_id: 'order_1',
    order_receipt: 'A-1',
  };
  const items = [
    paid,
    { ...paid, entity_id: 'rfnd_1', type: 'refund', debit: 25_050, credit: 0, amount: 25_050 },
    { ...paid, entity_id: 'trf_1', type: 'transfer', order_receipt: null },
  ];
  const file = JSON.stringify({ entity: 'collection', count: 3, items });
  const report = await run(file, { preset: 'razorpay-api' });
  expect(report).toMatchObject({
    applied: true,
    errors: [],
    added: 2,
    leftOut: [{ reason: 'other-type', word: 'transfer', count: 1 }],
  });
  expect(await lines()).toMatchObject([
    { type: 'Refund', amount: 25_050, currency: 'INR', at: '2026-03-08T09:03:57.000Z' },
    { type: 'Settle', amount: 100_000, currency: 'INR', at: '2026-03-08T09:03:57.000Z' },
  ]);
});

test('asks for information that a layout lacks: the date of a refund, and the time zone for CET', async () => {
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

test('accepts a user’s preset file, overridden by explicit options', async () => {
  const { run, lines } = await openLedger();
  const preset = JSON.stringify({
    map: { order: 'Beleg', amount: 'Betrag', date: 'Datum', type: 'Art' },
    units: 'major',
    decimal: 'comma',
    dates: 'dmy',
    currency: 'EUR',
    types: { settle: ['Rechnung'], skip: ['Zahlung'] },
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

test.each(presetNames)('the built-in preset %s is a valid preset file', (name) => {
  const text = readFileSync(new URL(`../../presets/${name}.json`, import.meta.url), 'utf8');
  expect(parsePreset(text)).toEqual(packaged(name));
});
