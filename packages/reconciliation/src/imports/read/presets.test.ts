import { ledgerPresetNames } from '@financing-checkout/contract/plain';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';
import { parsePreset } from '../guess/preset-file.ts';
import { packaged } from './presets.ts';

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
/** A row of a report in which each value is quoted, with the given values by column. */
const amazonRows = (header: readonly string[], ...rows: Readonly<Record<string, string>>[]) =>
  [header, ...rows.map((row) => header.map((name) => row[name] ?? '0'))].map((values) =>
    values.map((value) => `"${value.replaceAll('"', '""')}"`).join(','),
  );
const amazonColumns =
  'date/time,settlement id,type,order id,sku,description,quantity,marketplace,account type,fulfillment,order city,order state,order postal,tax collection model,product sales,product sales tax,shipping credits,shipping credits tax,gift wrap credits,giftwrap credits tax,Regulatory Fee,Tax On Regulatory Fee,promotional rebates,promotional rebates tax,marketplace withheld tax,selling fees,fba fees,other transaction fees,other,total'.split(
    ',',
  );
const amazonUs = csv(
  '"Includes Amazon Marketplace, Fulfillment by Amazon (FBA), and Amazon Webstore transactions"',
  '"All amounts in USD, unless specified"',
  '"Definitions:"',
  '"Sales tax collected: Includes sales tax collected from buyers for product sales, shipping, and gift wrap."',
  '"Other: Includes non-order transaction amounts. For more details, see the ""Type"" and ""Description"" columns for each order ID."',
  ...amazonRows(
    amazonColumns,
    {
      'date/time': 'Mar 8, 2026 12:38:23 AM PST',
      type: 'Order',
      'order id': '111-0000001-0000001',
      description: 'Chair, oak',
      marketplace: 'amazon.com',
      'product sales': '1,100.00',
      'selling fees': '-165.00',
      total: '935.00',
    },
    {
      'date/time': 'Mar 8, 2026 11:03:05 PM PDT',
      type: 'Refund',
      'order id': '111-0000001-0000001',
      description: 'Chair, oak',
      marketplace: 'amazon.com',
      'product sales': '-50.00',
      'selling fees': '6.00',
      total: '-44.00',
    },
    {
      'date/time': 'Mar 9, 2026 1:00:00 AM PDT',
      type: 'Transfer',
      'order id': '',
      marketplace: '',
      total: '-891.00',
    },
  ),
);
const amazonIn = csv(
  '"Includes Amazon Marketplace, Fulfillment by Amazon (FBA), and Amazon Webstore transactions"',
  '"All amounts in INR, unless specified"',
  '"Definitions:"',
  ...amazonRows(
    'date/time,settlement id,type,order id,Sku,description,quantity,marketplace,account type,fulfillment,order city,order state,order postal,product sales,shipping credits,gift wrap credits,promotional rebates,Total sales tax liable(GST before adjusting TCS),TCS-CGST,TCS-SGST,TCS-IGST,TDS (Section 194-O),selling fees,fba fees,other transaction fees,other,total,Transaction Status,Transaction Release Date'.split(
      ',',
    ),
    {
      'date/time': '8 Mar 2026 4:24:44 am UTC',
      type: 'Order',
      'order id': '404-0000001-0000001',
      marketplace: 'amazon.in',
      'product sales': '1,23,456.00',
      total: '1,00,000.00',
      'Transaction Release Date': '9 Mar 2026 11:19:48 pm UTC',
    },
    {
      'date/time': '9 Mar 2026 4:24:44 pm UTC',
      type: 'Refund',
      'order id': '404-0000001-0000001',
      marketplace: 'amazon.in',
      'product sales': '-250.50',
      total: '-200.00',
      'Transaction Release Date': '',
    },
    {
      'date/time': '9 Mar 2026 5:00:00 pm UTC',
      type: 'Service Fee',
      'order id': '',
      marketplace: 'amazon.in',
      total: '-5.00',
    },
  ),
);
const amazonDe = csv(
  '"Umfasst Amazon-Marketplace-, Versand durch Amazon (FBA)- und Amazon-Webstore-Transaktionen."',
  '"Alle Beträge in Euro sofern nicht anders gekennzeichnet"',
  '"Definitionen:"',
  ...amazonRows(
    'Datum/Uhrzeit,Abrechnungsnummer,Typ,Bestellnummer,SKU,Beschreibung,Menge,Marketplace,Versand,Ort der Bestellung,Bundesland,Postleitzahl,Steuererhebungsmodell,Umsätze,Produktumsatzsteuer,Gutschrift für Versandkosten,Steuer auf Versandgutschrift,Gutschrift für Geschenkverpackung,Steuer auf Geschenkverpackungsgutschriften,Rabatte aus Werbeaktionen,Steuer auf Aktionsrabatte,Einbehaltene Steuer auf Marketplace,Verkaufsgebühren,Gebühren zu Versand durch Amazon,Andere Transaktionsgebühren,Andere,Gesamt,Transaktionsstatus,Freigabedatum der Transaktion'.split(
      ',',
    ),
    {
      'Datum/Uhrzeit': '08.03.2026 18:28:02 UTC',
      Typ: 'Bestellung',
      Bestellnummer: '028-0000001-0000001',
      Marketplace: 'amazon.de',
      Umsätze: '1.234,50',
      Gesamt: '1.049,33',
    },
    {
      'Datum/Uhrzeit': '31.10.2025 23:03:05 GMT+01:00',
      Typ: 'Erstattung',
      Bestellnummer: '028-0000002-0000002',
      Marketplace: 'amazon.de',
      Umsätze: '-50,00',
      Gesamt: '-42,50',
    },
    {
      'Datum/Uhrzeit': '09.03.2026 02:00:00 UTC',
      Typ: 'Übertrag',
      Bestellnummer: '',
      Marketplace: '',
      Gesamt: '-1.006,83',
    },
  ),
);
const amazonFr = csv(
  '"Inclut les transactions Amazon Marketplace, Expédié par Amazon et Amazon Webstore"',
  '"Tous les montants sont en EUR, sauf mention contraire."',
  '"Définitions :"',
  ...amazonRows(
    "date/heure,numéro de versement,type,numéro de la commande,sku,description,quantité,Marketplace,traitement,ville d'où provient la commande,Région d'où provient la commande,code postal de la commande,Modèle de perception des taxes,ventes de produits,Taxes sur la vente des produits,crédits d'expédition,taxe sur les crédits d’expédition,crédits sur l'emballage cadeau,Taxes sur les crédits cadeaux,Rabais promotionnels,Taxes sur les remises promotionnelles,Taxes retenues sur le site de vente,frais de vente,Frais Expédié par Amazon,autres frais de transaction,autre,total,Statut de la transaction,Date de sortie de la transaction".split(
      ',',
    ),
    {
      'date/heure': '31 oct. 2025 23:03:05 GMT+00:00',
      type: 'Commande',
      'numéro de la commande': '171-0000001-0000001',
      Marketplace: 'amazon.fr',
      'ventes de produits': '1\u202f234,50',
      total: '1\u202f049,33',
    },
    {
      'date/heure': '1 déc. 2025 08:31:35 UTC',
      type: 'Remboursement',
      'numéro de la commande': '171-0000001-0000001',
      Marketplace: 'amazon.fr',
      'ventes de produits': '-50,00',
      total: '-42,50',
    },
    {
      'date/heure': '2 déc. 2025 08:31:35 UTC',
      type: 'Transfert',
      'numéro de la commande': '',
      Marketplace: '',
      total: '-1\u202f006,83',
    },
  ),
);
const files = {
  'amazon-us': amazonUs,
  'amazon-in': amazonIn,
  'amazon-de': amazonDe,
  'amazon-fr': amazonFr,
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
    'amazon-us',
    {},
    'Settle 110000 USD 2026-03-08T08:38:23.000Z',
    'Refund 5000 USD 2026-03-09T06:03:05.000Z',
  ],
  [
    'amazon-in',
    {},
    'Settle 12345600 INR 2026-03-08T04:24:44.000Z',
    'Refund 25050 INR 2026-03-09T16:24:44.000Z',
  ],
  [
    'amazon-de',
    {},
    'Settle 123450 EUR 2026-03-08T18:28:02.000Z',
    'Refund 5000 EUR 2025-10-31T22:03:05.000Z',
  ],
  [
    'amazon-fr',
    {},
    'Settle 123450 EUR 2025-10-31T23:03:05.000Z',
    'Refund 5000 EUR 2025-12-01T08:31:35.000Z',
  ],
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

test('asks about a row with equal gross and net amounts of different signs', async () => {
  const { run } = await openLedger();
  const wrong = amazonUs.replace('"-50.00"', '"50.00"').replace('"-44.00"', '"-50.00"');
  const message = expect.stringMatching(/"total".*different signs.*`types`/s) as string;
  expect(await run(wrong, { preset: 'amazon-us' })).toMatchObject({
    applied: false,
    errors: [{ line: 8, field: 'amount', code: 'amount-contradicts', message }],
  });
  const file = csv(
    'order,Art,gross,Netto,date',
    'A-1,Kauf,100.00,97.00,2026-03-01',
    'A-1,Kauf,50.00,-50.00,2026-03-02',
  );
  const bySign = {
    units: 'major',
    currency: 'EUR',
    type: 'sign',
    map: { order: 'order', amount: 'gross', date: 'date' },
  } as const;
  expect(await run(file, bySign)).toMatchObject({
    applied: false,
    errors: [{ line: 3, field: 'amount', code: 'amount-contradicts' }],
  });
});

test('reads a refund with a positive gross and a negative net amount if its word is declared', async () => {
  const { run, lines } = await openLedger();
  const file = csv('order,Art,gross,Netto,date', 'A-1,Retoure,50.00,-50.00,2026-03-02');
  const report = await run(file, {
    units: 'major',
    currency: 'EUR',
    map: { order: 'order', type: 'Art', amount: 'gross', date: 'date' },
    types: { refund: ['Retoure'] },
  });
  expect(report).toMatchObject({ applied: true, errors: [] });
  expect(await lines()).toMatchObject([{ type: 'Refund', amount: 5_000 }]);
});

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

test('asks for information that is missing in a layout: the date of a refund, and the time zone for CET', async () => {
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
  await run(file, { preset, currency: 'CHF', map: { order: 'Konto' } });
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

test.each(ledgerPresetNames)('the built-in preset %s is a valid preset file', (name) => {
  const text = readFileSync(new URL(`../../../presets/${name}.json`, import.meta.url), 'utf8');
  expect(parsePreset(text)).toEqual(packaged(name));
});
