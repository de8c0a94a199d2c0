export {
  createProgramMetrics,
  type LabeledGauge,
  type MeasuredGauge,
  measureGauge,
  measureLabeled,
  oneOf,
  type ProgramMetrics,
  type ProgramMetricsOptions,
  type RenderedMetrics,
  SECONDS,
} from './program-metrics.ts';
