//! The route with what work tells, at every size.
