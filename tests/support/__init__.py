"""Problems and plain reference code that several tests share."""
