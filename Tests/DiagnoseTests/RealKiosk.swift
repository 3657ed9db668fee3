import Testing

/// Suites that run the real program beside real daemons: one after the other, or they wait for each other's processors.
@Suite(.serialized) enum RealKiosk {}
