export {
  createProgramMetrics,
  type LabelledGauge,
  type MeasuredGauge,
  measureGauge,
  measureLabelled,
  oneOf,
  type ProgramMetrics,
  type ProgramMetricsOptions,
  type RenderedMetrics,
  SECONDS,
} from './program-metrics.ts';
