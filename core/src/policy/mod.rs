//! What a trial is worth where that has no closed form.
