//! Files in and out; the only place that knows how our words look as JSON.
