/**
 * Each state's general sales tax, in thousandths of a percent (7250 is 7.25%).
 *
 * A real shop would call a tax service here, which also knows county and city taxes and exemptions.
 */
const rates: Readonly<Record<string, readonly [name: string, rate: number]>> = {
  AL: ['Alabama', 4000],
  AK: ['Alaska', 0],
  AZ: ['Arizona', 5600],
  AR: ['Arkansas', 6500],
  CA: ['California', 7250],
  CO: ['Colorado', 2900],
  CT: ['Connecticut', 6350],
  DE: ['Delaware', 0],
  DC: ['District of Columbia', 6000],
  FL: ['Florida', 6000],
  GA: ['Georgia', 4000],
  HI: ['Hawaii', 4000],
  ID: ['Idaho', 6000],
  IL: ['Illinois', 6250],
  IN: ['Indiana', 7000],
  IA: ['Iowa', 6000],
  KS: ['Kansas', 6500],
  KY: ['Kentucky', 6000],
  LA: ['Louisiana', 5000],
  ME: ['Maine', 5500],
  MD: ['Maryland', 6000],
  MA: ['Massachusetts', 6250],
  MI: ['Michigan', 6000],
  MN: ['Minnesota', 6875],
  MS: ['Mississippi', 7000],
  MO: ['Missouri', 4225],
  MT: ['Montana', 0],
  NE: ['Nebraska', 5500],
  NV: ['Nevada', 6850],
  NH: ['New Hampshire', 0],
  NJ: ['New Jersey', 6625],
  NM: ['New Mexico', 4875],
  NY: ['New York', 4000],
  NC: ['North Carolina', 4750],
  ND: ['North Dakota', 5000],
  OH: ['Ohio', 5750],
  OK: ['Oklahoma', 4500],
  OR: ['Oregon', 0],
  PA: ['Pennsylvania', 6000],
  RI: ['Rhode Island', 7000],
  SC: ['South Carolina', 6000],
  SD: ['South Dakota', 4200],
  TN: ['Tennessee', 7000],
  TX: ['Texas', 6250],
  UT: ['Utah', 4850],
  VT: ['Vermont', 6000],
  VA: ['Virginia', 4300],
  WA: ['Washington', 6500],
  WV: ['West Virginia', 6000],
  WI: ['Wisconsin', 5000],
  WY: ['Wyoming', 4000],
};

/** States to which the shop delivers, by name. */
export const states: readonly { code: string; name: string }[] = Object.entries(rates)
  .map(([code, [name]]) => ({ code, name }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'));

export function isState(code: string): boolean {
  return Object.hasOwn(rates, code);
}

/**
 * Returns the sales tax on goods after discounts, in US cents. Delivery is not taxed.
 *
 * The sum is rounded once, half up: rounding each line would make the tax depend on how the goods
 * are split into lines. `goods × rate` stays far below 2^53 for the largest possible cart.
 * @throws {RangeError} for an unknown state
 */
export function salesTax(goods: number, state: string): number {
  const rate = isState(state) ? rates[state]?.[1] : undefined;
  if (rate === undefined) throw new RangeError('There is no sales tax rate for this state.');
  return Math.floor((goods * rate + 50_000) / 100_000);
}
