// Preloaded into a program (`--import`): its clock is ahead or behind by TEST_CLOCK_OFFSET_MS, in
// all of its threads. A seeded history ends at a fixed moment; lateness depends on the present time.
const offset = Number(process.env.TEST_CLOCK_OFFSET_MS ?? '0');
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...time) {
    if (time.length === 0) super(RealDate.now() + offset);
    else super(...time);
  }

  static now() {
    return RealDate.now() + offset;
  }
};
